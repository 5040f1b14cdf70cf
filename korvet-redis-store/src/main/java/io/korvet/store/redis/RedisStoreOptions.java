package io.korvet.store.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterURIUtil;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How to reach Redis and how much to ask of it.
 *
 * @param uri in Lettuce's form: {@code redis://[user:password@]host[:port][/database]}, {@code rediss://…} for TLS,
 *     {@code redis-sentinel://host:port,host:port/#master} for Sentinel; several {@code host:port} separated by commas
 *     for a cluster
 * @param topology what stands at the URI
 * @param sentinelPassword password at the sentinels, {@code null} for none
 * @param namespace first part of every key
 * @param commandTimeout how long a call may go without an answer; then its connection is dropped
 * @param ioThreads threads that talk to Redis; the connections are spread over them
 * @param maxPendingCalls calls per connection that may wait for an answer; those beyond it fail at once
 */
public record RedisStoreOptions(
        String uri,
        Topology topology,
        @Nullable String sentinelPassword,
        String namespace,
        Duration commandTimeout,
        int ioThreads,
        int maxPendingCalls) {

    /** What stands at an address. */
    public enum Topology {
        /** One server, or one master found by sentinels. */
        SINGLE,
        /** Nodes of a Redis Cluster, any of which tells of the others. */
        CLUSTER
    }

    /** The namespace unless told otherwise. */
    public static final String DEFAULT_NAMESPACE = "korvet";

    /** Checks each setting. */
    public RedisStoreOptions {
        try {
            parse(uri, topology);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "Redis URI: expected redis://[user:password@]host[:port][/database], rediss://… or"
                            + " redis-sentinel://host:port,…/#master",
                    e);
        }
        KeySchema.checkNamespace(namespace);
        if (commandTimeout.toMillis() < 1) {
            throw new IllegalArgumentException("command timeout " + commandTimeout + ": expected at least 1 ms");
        }
        if (ioThreads < 1 || maxPendingCalls < 1) {
            throw new IllegalArgumentException(
                    "io threads " + ioThreads + ", pending calls " + maxPendingCalls + ": expected at least 1 of each");
        }
    }

    private static List<RedisURI> parse(String uri, Topology topology) {
        return switch (topology) {
            case SINGLE -> List.of(RedisURI.create(uri));
            case CLUSTER -> RedisClusterURIUtil.toRedisURIs(URI.create(uri));
        };
    }

    /** All defaults: one server, namespace {@code korvet}, 10 s, one thread, 10,000 pending calls. */
    public static RedisStoreOptions of(String uri) {
        return new RedisStoreOptions(uri, Topology.SINGLE, null, DEFAULT_NAMESPACE, Duration.ofSeconds(10), 1, 10_000);
    }

    /** All defaults for a cluster, one or some of whose nodes are named. */
    public static RedisStoreOptions ofCluster(String uri) {
        return new RedisStoreOptions(uri, Topology.CLUSTER, null, DEFAULT_NAMESPACE, Duration.ofSeconds(10), 1, 10_000);
    }

    /** The same with another namespace. */
    public RedisStoreOptions withNamespace(String other) {
        return new RedisStoreOptions(
                uri, topology, sentinelPassword, other, commandTimeout, ioThreads, maxPendingCalls);
    }

    /** The same with another command timeout. */
    public RedisStoreOptions withCommandTimeout(Duration other) {
        return new RedisStoreOptions(uri, topology, sentinelPassword, namespace, other, ioThreads, maxPendingCalls);
    }

    /** The same with another bound on pending calls. */
    public RedisStoreOptions withMaxPendingCalls(int other) {
        return new RedisStoreOptions(uri, topology, sentinelPassword, namespace, commandTimeout, ioThreads, other);
    }

    /** The servers to begin with; of a cluster there may be several. */
    List<RedisURI> redisUris() {
        List<RedisURI> parsed = parse(uri, topology);
        for (RedisURI server : parsed) {
            server.setTimeout(commandTimeout);
            String secret = sentinelPassword;
            if (secret != null) {
                server.getSentinels().forEach(sentinel -> sentinel.setAuthentication(secret));
            }
        }
        return parsed;
    }

    /** Whether sentinels say where the server is. */
    boolean hasSentinels() {
        return redisUris().stream().anyMatch(server -> !server.getSentinels().isEmpty());
    }

    /** How long replicas have to take over an append: half of the time after which a silent connection is dropped. */
    long longestWaitMilliseconds() {
        return Math.max(1, commandTimeout.toMillis() / 2);
    }

    /** The URI without user name and password. */
    public String safeUri() {
        int scheme = uri.indexOf("://") + 3;
        return uri.substring(0, scheme) + uri.substring(Math.max(scheme, uri.lastIndexOf('@') + 1));
    }

    @Override
    public String toString() {
        return "RedisStoreOptions[uri=" + safeUri() + ", topology=" + topology + ", namespace=" + namespace
                + ", commandTimeout=" + commandTimeout + ", ioThreads=" + ioThreads + ", maxPendingCalls="
                + maxPendingCalls + "]";
    }
}
