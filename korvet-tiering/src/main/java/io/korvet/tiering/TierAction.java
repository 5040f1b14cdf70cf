package io.korvet.tiering;

/** One thing to do with one segment. */
public sealed interface TierAction {

    /** The alternatives. */
    enum Kind {
        /** {@link Seal}. */
        SEAL,
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
        DELETED
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

    /**
     * Remove the oldest segment with its entries.
     *
     * @param newStartOffset the first offset that is left: of the next segment with entries, else the end of the log
     */
    record Remove(long segment, Reason reason, long newStartOffset) implements TierAction {
        @Override
        public Kind kind() {
            return Kind.REMOVE;
        }
    }
}
