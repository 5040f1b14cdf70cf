package io.korvet.server.log;

import io.korvet.server.log.Shipment.Item;
import io.korvet.store.EntryLog;
import io.korvet.store.EntryLog.CopiedState;
import io.korvet.store.StoreException;
import io.korvet.store.StreamName;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** Replicas that must have what producers with {@code acks=all} are told of (ADR 0020). Guarded by its {@link AppendQueue}. */
final class Copies {

    /** Nothing was written. */
    static final AppendOutcome REFUSED = AppendOutcome.failed(
            Errors.NOT_ENOUGH_REPLICAS, "Redis had too few replicas for min.insync.replicas a moment ago");

    /** The records are in the log, and may be lost with its master. */
    static final AppendOutcome TOO_FEW = AppendOutcome.failed(
            Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
            "the records are in the log, but too few replicas of Redis had them in time");

    /** The records were in the log and are not any more; the queue appends them again. */
    static final AppendOutcome TAKEN_BACK =
            AppendOutcome.failed(Errors.NOT_ENOUGH_REPLICAS, "a fail-over of Redis took the records back");

    private static final long SHORTAGE_NANOS = 1_000_000_000L;

    private final StreamName stream;
    private final EntryLog log;
    private @Nullable Long missedNanos;

    Copies(StreamName stream, EntryLog log) {
        this.stream = stream;
        this.log = log;
    }

    /** Replicas were waited for in vain. */
    void wereMissing() {
        missedNanos = System.nanoTime();
    }

    /** For a moment after replicas were missing nothing is written that would wait for them in vain too. */
    boolean areMissing() {
        return missedNanos != null && System.nanoTime() - missedNanos < SHORTAGE_NANOS;
    }

    /**
     * What to tell the producer of a batch that was appended earlier, as far as is known. Whether it was is looked at in the
     * same act, since a fail-over may have taken it back.
     */
    CompletionStage<AppendOutcome> of(Item item) {
        return log.copiedWriterState(stream, Long.toString(item.batch.producerId()), item.replicas)
                .thenApply(found -> outcome(item, found));
    }

    private static AppendOutcome outcome(Item item, CopiedState found) {
        if (found.state() == null) {
            return TAKEN_BACK;
        }
        IncomingBatch batch = item.batch;
        ProducerState.Batch stored;
        try {
            stored = ProducerState.parse(found.state())
                    .check(batch.producerEpoch(), batch.baseSequence(), batch.count())
                    .duplicate();
        } catch (IllegalArgumentException e) {
            throw new StoreException(
                    StoreException.Kind.CORRUPT, "producer " + batch.producerId() + ": " + e.getMessage(), e);
        }
        if (stored == null) {
            return TAKEN_BACK;
        }
        return found.copies() < item.replicas
                ? TOO_FEW
                : new AppendOutcome(Errors.NONE, null, stored.baseOffset(), batch.appendTime(), -1);
    }
}
