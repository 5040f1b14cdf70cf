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

    /** In Kafka's {@code local.retention.ms} and {@code local.retention.bytes}: as the total retention has it. */
    public static final long AS_TOTAL = -2;

    /**
     * What Kafka's settings of a tiered topic say is kept locally.
     *
     * @param milliseconds {@code local.retention.ms}, {@link #AS_TOTAL} for what the total says
     * @param bytes {@code local.retention.bytes}, {@link #AS_TOTAL} for what the total says
     * @param total what is kept in both tiers together
     */
    public static Retention local(long milliseconds, long bytes, Retention total) {
        return new Retention(
                milliseconds == AS_TOTAL ? total.milliseconds() : milliseconds,
                bytes == AS_TOTAL ? total.bytes() : bytes);
    }

    /** Checks both limits. */
    public Retention {
        if (milliseconds < UNLIMITED || bytes < UNLIMITED) {
            throw new IllegalArgumentException(
                    "retention of " + milliseconds + " ms and " + bytes + " bytes: expected -1 or more for both");
        }
    }
}
