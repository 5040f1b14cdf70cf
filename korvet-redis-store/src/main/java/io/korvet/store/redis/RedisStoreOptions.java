package io.korvet.store.redis;

import io.lettuce.core.RedisURI;
import java.time.Duration;

/**
 * How to reach Redis and how much to ask of it.
 *
 * @param uri in Lettuce's form: {@code redis://[user:password@]host[:port][/database]}, {@code rediss://…} for TLS,
 *     {@code redis-sentinel://host:port,host:port/#master} for Sentinel
 * @param namespace first part of every key
 * @param commandTimeout how long a call may go without an answer; then its connection is dropped
 * @param ioThreads threads that talk to Redis; the three connections are spread over them
 * @param maxPendingCalls calls per connection that may wait for an answer; those beyond it fail at once
 */
public record RedisStoreOptions(
        String uri, String namespace, Duration commandTimeout, int ioThreads, int maxPendingCalls) {

    /** The namespace unless told otherwise. */
    public static final String DEFAULT_NAMESPACE = "korvet";

    /** Checks each setting. */
    public RedisStoreOptions {
        try {
            RedisURI.create(uri);
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

    /** All defaults: namespace {@code korvet}, 10 s, one thread, 10,000 pending calls. */
    public static RedisStoreOptions of(String uri) {
        return new RedisStoreOptions(uri, DEFAULT_NAMESPACE, Duration.ofSeconds(10), 1, 10_000);
    }

    /** The same with another namespace. */
    public RedisStoreOptions withNamespace(String other) {
        return new RedisStoreOptions(uri, other, commandTimeout, ioThreads, maxPendingCalls);
    }

    /** The same with another command timeout. */
    public RedisStoreOptions withCommandTimeout(Duration other) {
        return new RedisStoreOptions(uri, namespace, other, ioThreads, maxPendingCalls);
    }

    /** The same with another bound on pending calls. */
    public RedisStoreOptions withMaxPendingCalls(int other) {
        return new RedisStoreOptions(uri, namespace, commandTimeout, ioThreads, other);
    }

    RedisURI redisUri() {
        RedisURI parsed = RedisURI.create(uri);
        parsed.setTimeout(commandTimeout);
        return parsed;
    }

    /** The URI without user name and password. */
    public String safeUri() {
        int scheme = uri.indexOf("://") + 3;
        return uri.substring(0, scheme) + uri.substring(Math.max(scheme, uri.lastIndexOf('@') + 1));
    }

    @Override
    public String toString() {
        return "RedisStoreOptions[uri=" + safeUri() + ", namespace=" + namespace + ", commandTimeout=" + commandTimeout
                + ", ioThreads=" + ioThreads + ", maxPendingCalls=" + maxPendingCalls + "]";
    }
}
