package io.korvet.server.log;

import io.korvet.store.StoreException;
import io.korvet.store.WriterUpdate;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * What an {@link AppendQueue} believes of the idempotent producers of its partition, the batches still under way included.
 *
 * <p>Bounded: of the producers unused for longest it forgets what it knew, and learns it again from the store's refusal. Not
 * thread-safe.
 */
final class ProducerStates {

    private static final int MOST = 10_000;
    /** Is no state, so that a call which expects it is refused and answered with the true one. */
    private static final String NOT_KNOWN = "?";

    private static final int REFUSALS = 20;

    private final Map<Long, ProducerState> known = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, ProducerState> eldest) {
            return size() > MOST;
        }
    };

    private final AwaitedBatches awaited = new AwaitedBatches();

    /** A batch that would be its producer's first, but isn't at sequence 0, and how often such batches were refused. */
    private record Beginning(short epoch, int baseSequence, int refusals) {}

    private final Map<Long, Beginning> beginnings = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Beginning> eldest) {
            return size() > MOST;
        }
    };

    /** Producers of which the store said that it has no state. */
    private final Set<Long> absent = new HashSet<>();

    /**
     * What a batch is to its producer.
     *
     * @param error {@link Errors#NONE} for the next batch and for a duplicate
     * @param message for people, {@code null} without an error
     * @param duplicateOf the base offset of the batch it repeats, -1 for none
     */
    record Judgement(Errors error, @Nullable String message, long duplicateOf) {
        static final Judgement NEXT = new Judgement(Errors.NONE, null, -1);
    }

    /** Judges an idempotent producer's batch as Kafka's leader does. */
    Judgement judge(IncomingBatch batch) {
        ProducerState state = known.get(batch.producerId());
        if (state == null) {
            return judgeUnknown(batch);
        }
        ProducerState.Verdict verdict = state.check(batch.producerEpoch(), batch.baseSequence(), batch.count());
        if (verdict.duplicate() != null) {
            return new Judgement(Errors.NONE, null, verdict.duplicate().baseOffset());
        }
        if (verdict.error() == Errors.NONE) {
            return Judgement.NEXT;
        }
        int last = state.batches().get(state.batches().size() - 1).lastSequence();
        return new Judgement(
                verdict.error(),
                named(batch) + ": the log has epoch " + state.epoch() + " and ended at sequence " + last,
                -1);
    }

    /**
     * A producer without state may begin with any sequence, as with Kafka (KIP-360): its state may have been forgotten. But not by
     * overtaking a batch of its own that failed before, which comes again and would find its place taken; and not while its
     * first batch is under way at another broker: so the store is asked first, and once the producer is told to try again, which it
     * does in the order of its batches.
     */
    private Judgement judgeUnknown(IncomingBatch batch) {
        long producer = batch.producerId();
        int first = awaited.before(batch, null);
        if (first >= 0) {
            return new Judgement(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, early(batch, first), -1);
        }
        if (batch.baseSequence() != 0 && absent.contains(producer) && !mayBegin(batch)) {
            return new Judgement(
                    Errors.KAFKA_STORAGE_ERROR,
                    named(batch) + ": the log knows no batch of it, an earlier one may be under way",
                    -1);
        }
        return Judgement.NEXT;
    }

    /**
     * Why a batch that is out of order is only early, for the producer to try again: one before it failed and has not come again.
     * {@code null} where none is awaited, or has been in vain for too long.
     */
    @Nullable
    String excuse(IncomingBatch batch) {
        int first = awaited.refuse(batch, known.get(batch.producerId()));
        return first < 0 ? null : early(batch, first);
    }

    private static String early(IncomingBatch batch, int first) {
        return named(batch) + ": the batch at sequence " + first + " failed and has not come again";
    }

    private boolean mayBegin(IncomingBatch batch) {
        Beginning before = beginnings.get(batch.producerId());
        if (before == null || before.epoch != batch.producerEpoch()) {
            beginnings.put(batch.producerId(), new Beginning(batch.producerEpoch(), batch.baseSequence(), 1));
            return false;
        }
        if (before.baseSequence == batch.baseSequence() || before.refusals >= REFUSALS) {
            return true;
        }
        beginnings.put(batch.producerId(), new Beginning(before.epoch, before.baseSequence, before.refusals + 1));
        return false;
    }

    private static String named(IncomingBatch batch) {
        return "producer " + batch.producerId() + " epoch " + batch.producerEpoch() + " sequence "
                + batch.baseSequence();
    }

    /** Takes a batch as appended; answers what the store must compare and set for it. */
    WriterUpdate advance(IncomingBatch batch, long baseOffset, long now) {
        ProducerState state = known.get(batch.producerId());
        ProducerState next = state == null
                ? ProducerState.first(batch.producerEpoch(), batch.baseSequence(), batch.count(), baseOffset, now)
                : state.after(batch.producerEpoch(), batch.baseSequence(), batch.count(), baseOffset, now);
        known.put(batch.producerId(), next);
        boolean isAsked = batch.baseSequence() != 0 && !absent.contains(batch.producerId());
        String expected = state != null ? state.text() : isAsked ? NOT_KNOWN : "";
        absent.remove(batch.producerId());
        awaited.arrived(batch);
        return new WriterUpdate(Long.toString(batch.producerId()), expected, next.text());
    }

    /** Notes that a batch failed and may come again. */
    void failed(IncomingBatch batch) {
        if (batch.isIdempotent()) {
            awaited.failed(batch);
        }
    }

    /** Notes that a batch is in the log for good, so it is not awaited any more. */
    void arrived(IncomingBatch batch) {
        awaited.arrived(batch);
    }

    /**
     * Takes over the true states.
     *
     * @throws StoreException of kind CORRUPT when one can't be read
     */
    void learn(Map<String, String> stored) {
        stored.forEach((writer, text) -> {
            long id = Long.parseLong(writer);
            if (text.isEmpty()) {
                known.remove(id);
                if (absent.size() >= MOST) {
                    absent.clear();
                }
                absent.add(id);
                return;
            }
            try {
                known.put(id, ProducerState.parse(text));
                absent.remove(id);
            } catch (IllegalArgumentException e) {
                throw new StoreException(StoreException.Kind.CORRUPT, "producer " + id + ": " + e.getMessage(), e);
            }
        });
    }

    /** Forgets the states, not which batches failed. */
    void forget() {
        known.clear();
        absent.clear();
    }
}
