package io.korvet.faults.history;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * What a record holds: who sent it and as which, followed by bytes that follow from these two, so that any change shows.
 *
 * @param producer number of the producer; one that had to be made anew has another
 * @param sequence number of the record among all of its producer, from 0
 */
public record Value(int producer, int sequence) {
    /** Length of the few records that are too long for their topics. */
    public static final int TOO_LONG = 80_000;

    private static final int ONE_IN = 2_003;

    /** The record's value as bytes. */
    public byte[] bytes() {
        byte[] head = (producer + "." + sequence + "|").getBytes(StandardCharsets.US_ASCII);
        byte[] all = Arrays.copyOf(head, head.length + filler());
        for (int i = head.length; i < all.length; i++) {
            all[i] = (byte) ('a' + (producer + 31 * sequence + 7 * i) % 26);
        }
        return all;
    }

    /** Whether a broker must refuse it for its length. */
    public boolean tooLong() {
        return sequence % ONE_IN == ONE_IN - 1;
    }

    /** Reads a value back; {@code null} for anything that {@link #bytes()} didn't make. */
    public static @Nullable Value of(byte[] bytes) {
        int dot = -1;
        int end = -1;
        for (int i = 0; i < Math.min(bytes.length, 24) && end < 0; i++) {
            dot = bytes[i] == '.' ? i : dot;
            end = bytes[i] == '|' ? i : end;
        }
        if (dot < 1 || end < dot + 2) {
            return null;
        }
        String head = new String(bytes, 0, end, StandardCharsets.US_ASCII);
        try {
            Value value =
                    new Value(Integer.parseInt(head, 0, dot, 10), Integer.parseInt(head, dot + 1, head.length(), 10));
            return Arrays.equals(value.bytes(), bytes) ? value : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Most records are short, some are as long as a batch, few are longer. */
    private int filler() {
        if (tooLong()) {
            return TOO_LONG;
        }
        SplittableRandom random = new SplittableRandom(31L * producer + sequence);
        int kind = random.nextInt(100);
        return kind < 85 ? random.nextInt(200) : kind < 98 ? random.nextInt(2_000) : random.nextInt(20_000);
    }

    @Override
    public String toString() {
        return producer + "." + sequence;
    }
}
