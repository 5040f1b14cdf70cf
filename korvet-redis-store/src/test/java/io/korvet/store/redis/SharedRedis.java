package io.korvet.store.redis;

import io.korvet.store.Stages;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** One running server per binary, shared by the tests of this module; each store has a namespace of its own. */
final class SharedRedis {

    private static final AtomicInteger NAMESPACES = new AtomicInteger();
    private static final List<SharedRedis> ALL =
            RedisServerBinary.all().stream().map(SharedRedis::new).toList();

    private final RedisServerProcess server;
    private final String name;

    private SharedRedis(RedisServerBinary binary) {
        name = binary.toString();
        server = RedisServerProcess.start(binary);
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    }

    static List<SharedRedis> all() {
        return ALL;
    }

    static SharedRedis preferred() {
        return ALL.get(0);
    }

    RedisServerProcess server() {
        return server;
    }

    RedisStore openStore() {
        return Stages.await(RedisStore.open(
                RedisStoreOptions.of(server.uri()).withNamespace("test" + NAMESPACES.incrementAndGet())));
    }

    @Override
    public String toString() {
        return name;
    }
}
