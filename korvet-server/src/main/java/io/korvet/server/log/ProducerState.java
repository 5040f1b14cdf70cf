package io.korvet.server.log;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;

/**
 * What a partition remembers of one idempotent producer: its epoch and its last five batches (KIP-98).
 *
 * <p>Stored as text in the partition's writers hash, {@code <epoch> <last use> <first>-<last>@<base offset>,…}, and
 * compared there by the append script, so the check for duplicates and the append are one act. Immutable.
 *
 * @param epoch the producer's epoch
 * @param lastUseMilliseconds when it last appended
 * @param batches its last batches, oldest first, at most five
 */
record ProducerState(short epoch, long lastUseMilliseconds, List<Batch> batches) {

    private static final int REMEMBERED = 5;

    /** The numbers of one appended batch; sequences wrap to 0 after {@link Integer#MAX_VALUE}. */
    record Batch(int firstSequence, int lastSequence, long baseOffset) {}

    /**
     * What a batch is to this producer's state.
     *
     * @param error {@link Errors#NONE} for the next batch and for a duplicate
     * @param duplicate the batch it repeats, {@code null} for none
     */
    record Verdict(
            Errors error, @org.jspecify.annotations.Nullable Batch duplicate) {
        static final Verdict NEXT = new Verdict(Errors.NONE, null);
    }

    ProducerState {
        batches = List.copyOf(batches);
    }

    /** The state that a first batch leaves. */
    static ProducerState first(short epoch, int baseSequence, int count, long baseOffset, long now) {
        return new ProducerState(
                epoch, now, List.of(new Batch(baseSequence, lastSequence(baseSequence, count), baseOffset)));
    }

    /** The state after a batch that {@link #check} found to be the next one. */
    ProducerState after(short batchEpoch, int baseSequence, int count, long baseOffset, long now) {
        if (batchEpoch != epoch) {
            return first(batchEpoch, baseSequence, count, baseOffset, now);
        }
        List<Batch> next = new ArrayList<>(batches);
        if (next.size() == REMEMBERED) {
            next.remove(0);
        }
        next.add(new Batch(baseSequence, lastSequence(baseSequence, count), baseOffset));
        return new ProducerState(epoch, now, next);
    }

    /** Judges a batch as Kafka's leader does. */
    Verdict check(short batchEpoch, int baseSequence, int count) {
        if (batchEpoch < epoch) {
            return new Verdict(Errors.INVALID_PRODUCER_EPOCH, null);
        }
        if (batchEpoch > epoch) {
            return baseSequence == 0 ? Verdict.NEXT : new Verdict(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, null);
        }
        int last = lastSequence(baseSequence, count);
        for (Batch batch : batches) {
            if (batch.firstSequence == baseSequence && batch.lastSequence == last) {
                return new Verdict(Errors.NONE, batch);
            }
        }
        return baseSequence == nextSequence() ? Verdict.NEXT : new Verdict(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, null);
    }

    /** The sequence of the batch that comes next. */
    int nextSequence() {
        return (batches.get(batches.size() - 1).lastSequence + 1) & Integer.MAX_VALUE;
    }

    private static int lastSequence(int baseSequence, int count) {
        return (int) (((long) baseSequence + count - 1) & Integer.MAX_VALUE);
    }

    /** The stored form. */
    String text() {
        StringBuilder text = new StringBuilder(32 + 40 * batches.size());
        text.append(epoch).append(' ').append(lastUseMilliseconds).append(' ');
        for (int i = 0; i < batches.size(); i++) {
            Batch batch = batches.get(i);
            text.append(i == 0 ? "" : ",")
                    .append(batch.firstSequence)
                    .append('-')
                    .append(batch.lastSequence)
                    .append('@')
                    .append(batch.baseOffset);
        }
        return text.toString();
    }

    /**
     * Reads the stored form.
     *
     * @throws IllegalArgumentException when it is anything else
     */
    static ProducerState parse(String text) {
        String[] parts = text.split(" ", 3);
        if (parts.length != 3) {
            throw new IllegalArgumentException(
                    "producer state '" + text + "': expected '<epoch> <last use> <batches>'");
        }
        List<Batch> batches = new ArrayList<>();
        for (String batch : parts[2].split(",", -1)) {
            int dash = batch.indexOf('-');
            int at = batch.indexOf('@');
            if (dash < 1 || at < dash) {
                throw new IllegalArgumentException(
                        "producer state '" + text + "': expected <first>-<last>@<base offset>");
            }
            batches.add(new Batch(
                    Integer.parseInt(batch, 0, dash, 10),
                    Integer.parseInt(batch, dash + 1, at, 10),
                    Long.parseLong(batch, at + 1, batch.length(), 10)));
        }
        return new ProducerState(Short.parseShort(parts[0]), Long.parseLong(parts[1]), batches);
    }

    /** When a stored state was last used; for forgetting producers that are gone. */
    static long lastUseMilliseconds(String text) {
        return parse(text).lastUseMilliseconds();
    }
}
