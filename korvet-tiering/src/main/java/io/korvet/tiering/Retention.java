package io.korvet.tiering;

/**
 * How much of a log is kept; whole segments go, the oldest first, when either limit allows it.
 *
 * @param milliseconds how old the newest entry of a segment may be, {@link #UNLIMITED} or at least 0
 * @param bytes how many bytes are kept at least once they are there, {@link #UNLIMITED} or at least 0
 */
public record Retention(long milliseconds, long bytes) {

    /** No limit. */
    public static final long UNLIMITED = -1;

    /** Everything is kept. */
    public static final Retention FOREVER = new Retention(UNLIMITED, UNLIMITED);

    /** Checks both limits. */
    public Retention {
        if (milliseconds < UNLIMITED || bytes < UNLIMITED) {
            throw new IllegalArgumentException(
                    "retention of " + milliseconds + " ms and " + bytes + " bytes: expected -1 or more for both");
        }
    }
}
