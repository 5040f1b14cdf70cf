package io.korvet.store;

import io.korvet.offsets.StreamEntryId;
import org.jspecify.annotations.Nullable;

/**
 * One segment of a log.
 *
 * @param number 0, 1, 2 …
 * @param state where in its life it is
 * @param first the first id, {@code null} while it is empty
 * @param last the last id, {@code null} while it is empty
 * @param firstTimestamp the smallest timestamp, -1 while it is empty
 * @param lastTimestamp the largest timestamp, -1 while it is empty
 * @param lastTimestampId the first entry that has the largest timestamp, {@code null} while it is empty
 * @param entries how many entries
 * @param bytes their fields' bytes
 * @param openedMilliseconds when it was opened, by the clock of the broker that did it
 * @param remoteFile where it lies in the remote tier, {@code null} for nowhere
 * @param seal tells this sealing from any other of a segment of that number (a store that went back in time seals it once
 *     more, with other entries); {@code null} while it is open, and for segments sealed before there were seals
 */
public record Segment(
        long number,
        SegmentState state,
        @Nullable StreamEntryId first,
        @Nullable StreamEntryId last,
        long firstTimestamp,
        long lastTimestamp,
        @Nullable StreamEntryId lastTimestampId,
        long entries,
        long bytes,
        long openedMilliseconds,
        @Nullable String remoteFile,
        @Nullable String seal) {

    /** A segment without a seal. */
    public Segment(
            long number,
            SegmentState state,
            @Nullable StreamEntryId first,
            @Nullable StreamEntryId last,
            long firstTimestamp,
            long lastTimestamp,
            @Nullable StreamEntryId lastTimestampId,
            long entries,
            long bytes,
            long openedMilliseconds,
            @Nullable String remoteFile) {
        this(
                number,
                state,
                first,
                last,
                firstTimestamp,
                lastTimestamp,
                lastTimestampId,
                entries,
                bytes,
                openedMilliseconds,
                remoteFile,
                null);
    }
}
