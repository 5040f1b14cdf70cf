package io.korvet.coordinator;

/**
 * What can be set for groups; times in milliseconds.
 *
 * @param minSessionTimeout least session timeout a member may ask for ({@code group.min.session.timeout.ms})
 * @param maxSessionTimeout greatest session timeout a member may ask for ({@code group.max.session.timeout.ms})
 * @param initialRebalanceDelay how long an empty group waits for more members ({@code group.initial.rebalance.delay.ms})
 * @param newMemberTimeout how long a member that has never been in a generation may wait for one
 * @param maxSize most members of a group ({@code group.max.size})
 * @param maxMetadataLength most characters of a position's metadata ({@code offset.metadata.max.bytes})
 * @param offsetsRetention how long positions of a group without members are kept ({@code offsets.retention.minutes})
 * @param maxWaiting most requests of one group that wait in its queue, for a load or for the store; further ones are refused
 *     as {@link GroupError#COORDINATOR_NOT_AVAILABLE}
 */
public record GroupSettings(
        int minSessionTimeout,
        int maxSessionTimeout,
        int initialRebalanceDelay,
        int newMemberTimeout,
        int maxSize,
        int maxMetadataLength,
        long offsetsRetention,
        int maxWaiting) {

    /** Kafka's defaults. */
    public static final GroupSettings DEFAULTS =
            new GroupSettings(6_000, 1_800_000, 3_000, 300_000, Integer.MAX_VALUE, 4096, 7L * 24 * 3_600_000, 10_000);

    /** Checks the ranges. */
    public GroupSettings {
        require(minSessionTimeout > 0, "minSessionTimeout", minSessionTimeout, "more than 0");
        require(
                maxSessionTimeout >= minSessionTimeout,
                "maxSessionTimeout",
                maxSessionTimeout,
                "at least the least one");
        require(initialRebalanceDelay >= 0, "initialRebalanceDelay", initialRebalanceDelay, "0 or more");
        require(newMemberTimeout > 0, "newMemberTimeout", newMemberTimeout, "more than 0");
        require(maxSize > 0, "maxSize", maxSize, "more than 0");
        require(maxMetadataLength >= 0, "maxMetadataLength", maxMetadataLength, "0 or more");
        require(offsetsRetention > 0, "offsetsRetention", offsetsRetention, "more than 0");
        require(maxWaiting > 0, "maxWaiting", maxWaiting, "more than 0");
    }

    /** The same with another delay for groups that were empty. */
    public GroupSettings withInitialRebalanceDelay(int milliseconds) {
        return new GroupSettings(
                minSessionTimeout,
                maxSessionTimeout,
                milliseconds,
                newMemberTimeout,
                maxSize,
                maxMetadataLength,
                offsetsRetention,
                maxWaiting);
    }

    /** The same with another range of session timeouts. */
    public GroupSettings withSessionTimeouts(int least, int greatest) {
        return new GroupSettings(
                least,
                greatest,
                initialRebalanceDelay,
                newMemberTimeout,
                maxSize,
                maxMetadataLength,
                offsetsRetention,
                maxWaiting);
    }

    /** The same with another greatest number of members. */
    public GroupSettings withMaxSize(int members) {
        return new GroupSettings(
                minSessionTimeout,
                maxSessionTimeout,
                initialRebalanceDelay,
                newMemberTimeout,
                members,
                maxMetadataLength,
                offsetsRetention,
                maxWaiting);
    }

    private static void require(boolean holds, String name, long value, String expected) {
        if (!holds) {
            throw new IllegalArgumentException(name + " is " + value + ": expected " + expected);
        }
    }
}
