package io.korvet.store.redis;

import io.korvet.store.Stages;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One running server per binary, and a cluster, shared by the tests of this module; each store has a namespace of its own. */
final class SharedRedis {

    private static final AtomicInteger NAMESPACES = new AtomicInteger();
    private static final List<SharedRedis> SERVERS =
            RedisServerBinary.all().stream().map(SharedRedis::of).toList();

    private final @Nullable RedisServerProcess server;
    private final RedisStoreOptions options;
    private final String name;

    private SharedRedis(@Nullable RedisServerProcess server, RedisStoreOptions options, String name) {
        this.server = server;
        this.options = options;
        this.name = name;
    }

    private static SharedRedis of(RedisServerBinary binary) {
        RedisServerProcess server = RedisServerProcess.start(binary);
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        return new SharedRedis(server, RedisStoreOptions.of(server.uri()), binary.toString());
    }

    /** Made when it is first asked for. */
    private static final class Cluster {
        private static final SharedRedis SHARED = start();

        private static SharedRedis start() {
            RedisClusterProcesses cluster = new RedisClusterProcesses(3, 0);
            Runtime.getRuntime().addShutdownHook(new Thread(cluster::close));
            return new SharedRedis(null, RedisStoreOptions.ofCluster(cluster.uri()), "cluster of 3 masters");
        }
    }

    /** Single servers. */
    static List<SharedRedis> servers() {
        return SERVERS;
    }

    /** Single servers and a cluster. */
    static List<SharedRedis> all() {
        List<SharedRedis> all = new ArrayList<>(SERVERS);
        all.add(Cluster.SHARED);
        return all;
    }

    static SharedRedis preferred() {
        return SERVERS.get(0);
    }

    RedisServerProcess server() {
        return Objects.requireNonNull(server, "a cluster has several");
    }

    RedisStore openStore() {
        return Stages.await(RedisStore.open(options.withNamespace("test" + NAMESPACES.incrementAndGet())));
    }

    @Override
    public String toString() {
        return name;
    }
}
