package io.korvet.store;

import io.korvet.offsets.StreamEntryId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What became of an append: data, not an exception. */
public sealed interface AppendResult {

    /** Which alternative this is. */
    Kind kind();

    /** The alternatives. */
    enum Kind {
        /** Written. */
        APPENDED,
        /** Written, but not copied to as many replicas as were wanted in time. */
        UNCOPIED,
        /** Not written because Redis knows better than the caller. */
        STALE,
        /** Not written because the log is of another incarnation, or gone. */
        FENCED
    }

    /**
     * Written, all of it.
     *
     * @param last the id of the last entry written
     * @param previousLast the last id before it, {@code null} for the first entries of a log
     * @param startOffset the start of the log
     * @param segment the segment written to
     * @param segmentEntries entries in that segment now
     * @param segmentBytes bytes in that segment now
     */
    record Appended(
            StreamEntryId last,
            @Nullable StreamEntryId previousLast,
            long startOffset,
            long segment,
            long segmentEntries,
            long segmentBytes)
            implements AppendResult {
        @Override
        public Kind kind() {
            return Kind.APPENDED;
        }
    }

    /**
     * Written, all of it, but too few replicas had it in time: a fail-over may take it back.
     *
     * @param appended what was written
     * @param copies how many replicas have it
     */
    record Uncopied(Appended appended, long copies) implements AppendResult {
        @Override
        public Kind kind() {
            return Kind.UNCOPIED;
        }
    }

    /**
     * Nothing was written: open segment, last id or a writer's state differ from what the caller believed (a foreign
     * client's entry at the end counts too).
     *
     * @param state what the log looks like, for the next proposal
     * @param writers the true state of each writer of the refused batch, empty for one that is not known
     */
    record Stale(LogState state, Map<String, String> writers) implements AppendResult {
        /** Copies the map. */
        public Stale {
            writers = Map.copyOf(writers);
        }

        @Override
        public Kind kind() {
            return Kind.STALE;
        }
    }

    /** Nothing was written: the log was deleted, or deleted and made anew. */
    record Fenced() implements AppendResult {
        @Override
        public Kind kind() {
            return Kind.FENCED;
        }
    }
}
