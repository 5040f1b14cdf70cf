package io.korvet.tiering;

/**
 * What a log's owner wants to become of its segments.
 *
 * @param segmentMilliseconds after how long a segment is sealed, above 0
 * @param local what is kept in Redis; of a log without cold tier that is all there is of it
 */
public record TierPolicy(long segmentMilliseconds, Retention local) {

    /** Checks the segment's age. */
    public TierPolicy {
        if (segmentMilliseconds < 1) {
            throw new IllegalArgumentException(
                    "segments sealed after " + segmentMilliseconds + " ms: expected more than 0");
        }
    }
}
