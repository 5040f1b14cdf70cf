package io.korvet.server.net;

import java.time.Duration;

/**
 * What connections are held to.
 *
 * @param maxRequestBytes a longer request closes its connection
 * @param maxPendingBytes bytes of requests being handled, over all connections, above which sockets are no longer read
 * @param resumePendingBytes bytes at which they are read again
 * @param maxPendingRequests requests of one connection that may wait for their answers before it is no longer read
 * @param maxUnsentBytes answers of one connection that the client hasn't taken yet before it is no longer read
 * @param maxIdle a connection with nothing to do for so long is closed
 */
public record NetOptions(
        int maxRequestBytes,
        long maxPendingBytes,
        long resumePendingBytes,
        int maxPendingRequests,
        int maxUnsentBytes,
        Duration maxIdle) {

    /** What connections are held to if nothing else is said; idle as long as with Kafka. */
    public static final NetOptions DEFAULTS =
            new NetOptions(100 << 20, 100 << 20, 50 << 20, 128, 1 << 20, Duration.ofMinutes(10));

    /** Checks that the limits are positive and that reading resumes below the limit. */
    public NetOptions {
        if (maxRequestBytes <= 0 || maxPendingRequests <= 0 || maxUnsentBytes <= 1) {
            throw new IllegalArgumentException("limits must be positive");
        }
        if (resumePendingBytes < 0 || resumePendingBytes >= maxPendingBytes) {
            throw new IllegalArgumentException(
                    "reading resumes at " + resumePendingBytes + " bytes, which is not below " + maxPendingBytes);
        }
    }

    /** The same with other limits of what is being handled. */
    public NetOptions withBytes(int maxRequestBytes, long maxPendingBytes, long resumePendingBytes) {
        return new NetOptions(
                maxRequestBytes, maxPendingBytes, resumePendingBytes, maxPendingRequests, maxUnsentBytes, maxIdle);
    }

    /** The same with another idle time. */
    public NetOptions withMaxIdle(Duration maxIdle) {
        return new NetOptions(
                maxRequestBytes, maxPendingBytes, resumePendingBytes, maxPendingRequests, maxUnsentBytes, maxIdle);
    }
}
