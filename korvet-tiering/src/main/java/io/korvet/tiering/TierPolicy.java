package io.korvet.tiering;

/**
 * What a log's owner wants to become of its segments. Segments leave Redis by {@code local} once they are confirmed to be
 * in the cold tier, and both tiers by {@code total}; so the cold tier keeps what total allows beyond local.
 *
 * @param segmentMilliseconds after how long a segment is sealed, above 0
 * @param local what is kept in Redis; has no meaning where tiering is disabled
 * @param total what is kept at all; {@link Retention#bytes} counts both tiers
 * @param tiering whether sealed segments are copied to the cold tier
 */
public record TierPolicy(long segmentMilliseconds, Retention local, Retention total, Tiering tiering) {

    /** Whether a log's segments go to the cold tier. */
    public enum Tiering {
        /** They do, the old ones too when it was enabled late. */
        ENABLED,
        /** No further ones do; those that are there stay readable for the total retention. */
        DISABLED
    }

    /** Checks the segment's age. */
    public TierPolicy {
        if (segmentMilliseconds < 1) {
            throw new IllegalArgumentException(
                    "segments sealed after " + segmentMilliseconds + " ms: expected more than 0");
        }
    }

    /** A policy for a log that is in Redis only. */
    public static TierPolicy localOnly(long segmentMilliseconds, Retention retention) {
        return new TierPolicy(segmentMilliseconds, retention, retention, Tiering.DISABLED);
    }

    /** The same without cold tier. */
    public TierPolicy withoutTiering() {
        return new TierPolicy(segmentMilliseconds, local, total, Tiering.DISABLED);
    }
}
