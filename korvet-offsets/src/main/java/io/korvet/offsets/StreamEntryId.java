package io.korvet.offsets;

/**
 * The id of one Redis stream entry, {@code <milliseconds>-<sequence>}.
 *
 * <p>Redis' ids are unsigned 64-bit halves; the halves used here are never negative, so ids above
 * {@code 2^63 - 1} (which no clock reaches) are refused.
 *
 * @param milliseconds milliseconds since the epoch for time-encoded logs, a constant for dense ones
 * @param sequence position within the millisecond
 */
public record StreamEntryId(long milliseconds, long sequence) implements Comparable<StreamEntryId> {

    /** The smallest id, written {@code 0-0}; no entry can have it, a range may start at it. */
    public static final StreamEntryId MINIMUM = new StreamEntryId(0, 0);

    /** Checks that both halves are at least 0. */
    public StreamEntryId {
        if (milliseconds < 0 || sequence < 0) {
            throw new OffsetException("stream entry id " + milliseconds + "-" + sequence + ": both parts must be >= 0");
        }
    }

    /**
     * Reads the form {@code <milliseconds>-<sequence>}.
     *
     * @throws OffsetException when the text is anything else
     */
    public static StreamEntryId parse(String text) {
        int dash = text.indexOf('-');
        try {
            if (dash > 0) {
                return new StreamEntryId(
                        Long.parseLong(text, 0, dash, 10), Long.parseLong(text, dash + 1, text.length(), 10));
            }
        } catch (NumberFormatException e) {
            throw new OffsetException(
                    "stream entry id '" + text + "': expected <milliseconds>-<sequence>, each below 2^63", e);
        }
        throw new OffsetException("stream entry id '" + text + "': expected <milliseconds>-<sequence>");
    }

    @Override
    public int compareTo(StreamEntryId other) {
        int byTime = Long.compare(milliseconds, other.milliseconds);
        return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }

    @Override
    public String toString() {
        return milliseconds + "-" + sequence;
    }
}
