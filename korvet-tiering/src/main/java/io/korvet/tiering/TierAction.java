package io.korvet.tiering;

import io.korvet.store.SegmentState;

/** One thing to do with one segment. */
public sealed interface TierAction {

    /** The alternatives. */
    enum Kind {
        /** {@link Seal}. */
        SEAL,
        /** {@link Offload}. */
        OFFLOAD,
        /** {@link DropLocal}. */
        DROP_LOCAL,
        /** {@link Remove}. */
        REMOVE
    }

    /** Why something is done. */
    enum Reason {
        /** It is old enough. */
        AGE,
        /** The log is large enough without it. */
        SIZE,
        /** The start of the log has passed its end. */
        DELETED,
        /** It will never change again. */
        SEALED
    }

    /** Which alternative this is. */
    Kind kind();

    /** The segment's number. */
    long segment();

    /** Why. */
    Reason reason();

    /** Seal the open segment, and open the next. */
    record Seal(long segment, Reason reason) implements TierAction {
        @Override
        public Kind kind() {
            return Kind.SEAL;
        }
    }

    /** Copy a sealed segment to the cold tier. */
    record Offload(long segment, Reason reason) implements TierAction {
        @Override
        public Kind kind() {
            return Kind.OFFLOAD;
        }
    }

    /** Remove the entries of a segment that is in the cold tier from Redis. */
    record DropLocal(long segment, Reason reason) implements TierAction {
        @Override
        public Kind kind() {
            return Kind.DROP_LOCAL;
        }
    }

    /**
     * Remove the oldest segment with its entries, from every tier that it is in.
     *
     * @param newStartOffset the first offset that is left: of the next segment with entries, else the end of the log
     * @param state where it is: SEALED for Redis alone (an attempt to copy it may have left it in the cold tier, too),
     *     OFFLOADED for both, DROPPED for the cold tier alone
     */
    record Remove(long segment, Reason reason, long newStartOffset, SegmentState state) implements TierAction {
        @Override
        public Kind kind() {
            return Kind.REMOVE;
        }
    }
}
