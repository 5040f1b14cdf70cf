package io.korvet.tiering;

/** A call to the cold tier that failed; {@link #kind()} tells what may be done about it. */
public final class ColdTierException extends RuntimeException {

    /** What is known of a failure. */
    public enum Kind {
        /** The object store or catalog doesn't answer, or not in time; it may be tried again. */
        UNAVAILABLE,
        /** It refuses: no permission, no such bucket, wrong credentials. Somebody has to mend it. */
        REFUSED,
        /** Another process leads by now. */
        FENCED,
        /** What should be there is not, or can't be understood. */
        CORRUPT,
        /** The tier's memory or queues for such work are full; it may be tried again. */
        BUSY
    }

    private final Kind kind;

    /** A failure with a message that names table, file or segment. */
    public ColdTierException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    /** The same with its cause. */
    public ColdTierException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** What is known. */
    public Kind kind() {
        return kind;
    }
}
