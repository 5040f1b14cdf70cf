package io.korvet.store;

/** A call to the store that failed; {@link #kind()} tells what is known of its effect. */
public sealed class StoreException extends RuntimeException permits StoreNotReadyException {

    /** What is known of a failed call. */
    public enum Kind {
        /** Not sent, or refused before anything was written: nothing has changed. */
        UNAVAILABLE,
        /** Sent, and no answer came: it may have been carried out or not. */
        OUTCOME_UNKNOWN,
        /** Refused because Redis is at its memory limit: nothing has changed. */
        OUT_OF_MEMORY,
        /** Refused for another reason of Redis' own (wrong type, no permission, read-only …): nothing has changed. */
        REFUSED,
        /** What was read can't be understood. */
        CORRUPT
    }

    private final Kind kind;

    /** A failure with a message that names key or command. */
    public StoreException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    /** The same with the driver's failure. */
    public StoreException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** What is known of the call's effect. */
    public Kind kind() {
        return kind;
    }
}
