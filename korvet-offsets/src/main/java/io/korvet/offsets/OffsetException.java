package io.korvet.offsets;

/** An offset or entry id that has no counterpart in the encoding at hand; the message names value and limit. */
public final class OffsetException extends IllegalArgumentException {

    /** An exception with a message for the one who passed the value. */
    public OffsetException(String message) {
        super(message);
    }

    /** The same with the failure it stems from. */
    public OffsetException(String message, Throwable cause) {
        super(message, cause);
    }
}
