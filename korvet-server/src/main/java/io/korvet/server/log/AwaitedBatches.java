package io.korvet.server.log;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Batches of idempotent producers that failed here, so their producers were told to send them again, and have not come again.
 * Until they have, a later batch is early, not wrong: a producer with several requests under way sends it before it knows.
 *
 * <p>Bounded, in producers and in how often one batch excuses later ones: a client that gives a batch up should raise its epoch, but
 * one that doesn't must learn of its gap. Not thread-safe.
 */
final class AwaitedBatches {

    private static final int MOST = 10_000;
    private static final int REFUSALS = 20;

    /** The base sequences of the first and last such batch, and how often later ones were refused for the first. */
    private record Range(short epoch, int first, int last, int refusals) {}

    private final Map<Long, Range> ranges = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Range> eldest) {
            return size() > MOST;
        }
    };

    /** Notes that a batch failed and may come again. */
    void failed(IncomingBatch batch) {
        int sequence = batch.baseSequence();
        Range old = ranges.get(batch.producerId());
        if (old == null || old.epoch < batch.producerEpoch()) {
            ranges.put(batch.producerId(), new Range(batch.producerEpoch(), sequence, sequence, 0));
        } else if (old.epoch == batch.producerEpoch()) {
            boolean isFirst = !isBefore(old.first, sequence);
            ranges.put(
                    batch.producerId(),
                    new Range(
                            old.epoch,
                            isFirst ? sequence : old.first,
                            isBefore(old.last, sequence) ? sequence : old.last,
                            isFirst ? 0 : old.refusals));
        }
    }

    /** Notes that a batch has come and is, or will be, in the log. */
    void arrived(IncomingBatch batch) {
        Range range = ranges.get(batch.producerId());
        if (range == null
                || batch.producerEpoch() < range.epoch
                || (batch.producerEpoch() == range.epoch && isBefore(batch.baseSequence(), range.first))) {
            return;
        }
        int next = (int) (((long) batch.baseSequence() + batch.count()) & Integer.MAX_VALUE);
        if (batch.producerEpoch() > range.epoch || isBefore(range.last, next)) {
            ranges.remove(batch.producerId());
        } else {
            ranges.put(batch.producerId(), new Range(range.epoch, next, range.last, 0));
        }
    }

    /**
     * The sequence that must come before a batch, since it failed; -1 for none.
     *
     * @param state of its producer in the log, which may have it from another broker; {@code null} for none
     */
    int before(IncomingBatch batch, @Nullable ProducerState state) {
        Range range = ranges.get(batch.producerId());
        if (range == null || range.epoch != batch.producerEpoch()) {
            return -1;
        }
        int first = range.first;
        if (state != null && state.epoch() == range.epoch && isBefore(first, state.nextSequence())) {
            first = state.nextSequence();
        }
        return isBefore(range.last, first) || !isBefore(first, batch.baseSequence()) ? -1 : first;
    }

    /** Like {@link #before}, counting a refusal; -1 also after too many for the same sequence. */
    int refuse(IncomingBatch batch, @Nullable ProducerState state) {
        int first = before(batch, state);
        Range range = ranges.get(batch.producerId());
        if (first < 0 || range == null) {
            return -1;
        }
        int refusals = first == range.first ? range.refusals : 0;
        if (refusals >= REFUSALS) {
            return -1;
        }
        ranges.put(batch.producerId(), new Range(range.epoch, first, range.last, refusals + 1));
        return first;
    }

    /** Whether a sequence number comes before another; they wrap to 0. */
    private static boolean isBefore(int sequence, int other) {
        int distance = (other - sequence) & Integer.MAX_VALUE;
        return distance > 0 && distance < 1 << 30;
    }
}
