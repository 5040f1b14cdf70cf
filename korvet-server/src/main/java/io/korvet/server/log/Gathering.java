package io.korvet.server.log;

import io.korvet.server.log.Shipment.Item;
import java.time.InstantSource;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Takes the waiting batches that go to the store together, by what is believed of the log and of their producers, and answers
 * those that have their answer already. Guarded by its {@link AppendQueue}.
 */
final class Gathering {

    private static final int ATTEMPTS = 20;

    private final Deque<Item> waiting;
    private final Deque<Shipment> underWay;
    private final LogEnd end;
    private final ProducerStates producers;
    private final Copies copies;
    private final Answers answers;
    private final InstantSource clock;
    private @Nullable Item doubted;
    private boolean repetition;

    /** Looks at the queue's own parts. */
    Gathering(
            Deque<Item> waiting,
            Deque<Shipment> underWay,
            LogEnd end,
            ProducerStates producers,
            Copies copies,
            Answers answers,
            InstantSource clock) {
        this.waiting = waiting;
        this.underWay = underWay;
        this.end = end;
        this.producers = producers;
        this.copies = copies;
        this.answers = answers;
        this.clock = clock;
    }

    /**
     * The first that waits, if by what is believed it is to be told of an error or repeats what is in the log, which the store is
     * to be asked for; what comes after it waits too.
     */
    @Nullable
    Item doubted() {
        return doubted;
    }

    /** Whether the doubted batch repeats one that is in the log, as far as is known, and wants copies. */
    boolean isRepetition() {
        return repetition;
    }

    /** Lets it be judged again. */
    void endDoubt() {
        doubted = null;
        repetition = false;
    }

    /**
     * Answers a repetition, unless a fail-over took the records back: it waits on then, to be judged by the true state and
     * appended before what came behind it.
     *
     * @return whether what is believed holds
     */
    boolean confirmed(Item item, @Nullable AppendOutcome outcome, @Nullable Throwable failure) {
        endDoubt();
        if (Copies.TAKEN_BACK.equals(outcome)) {
            return false;
        }
        waiting.remove(item);
        if (outcome == null) {
            answers.fail(List.of(item), answers.failed(Objects.requireNonNull(failure)));
        } else if (outcome.equals(Copies.TOO_FEW)) {
            copies.wereMissing();
            answers.fail(List.of(item), answers.uncopied());
        } else {
            producers.arrived(item.batch);
            answers.finish(item, outcome);
        }
        return true;
    }

    /** Takes the waiting batches that go together, giving them offsets; empty if all have their answer, or are doubted. */
    Shipment next() {
        Shipment shipment = new Shipment();
        long now = clock.millis();
        while (!waiting.isEmpty()) {
            Item item = waiting.element();
            if (!shipment.takes(item) || (!shipment.isEmpty() && end.isFullFor(item))) {
                break;
            }
            boolean admitted = admit(item, shipment);
            if (doubted != null) {
                break;
            }
            waiting.remove();
            if (admitted) {
                end.place(item, shipment.isEmpty(), now);
                shipment.add(item);
                if (item.batch.isIdempotent()) {
                    shipment.update(producers.advance(item.batch, item.baseOffset, now));
                }
            }
        }
        return shipment;
    }

    /** Whether a batch is to be written; if not, it is answered, or {@link #doubted}. */
    private boolean admit(Item item, Shipment shipment) {
        IncomingBatch batch = item.batch;
        if (++item.attempts > ATTEMPTS) {
            answers.fail(
                    List.of(item),
                    AppendOutcome.failed(Errors.KAFKA_STORAGE_ERROR, "the log kept changing under the append"));
            return false;
        }
        if (item.replicas > 0 && copies.areMissing()) {
            answers.fail(List.of(item), Copies.REFUSED);
            return false;
        }
        if (!batch.isIdempotent()) {
            return true;
        }
        ProducerStates.Judgement judgement = producers.judge(batch);
        if (judgement.duplicateOf() >= 0) {
            duplicate(item, judgement.duplicateOf(), shipment);
            return false;
        }
        if (judgement.error() == Errors.NONE) {
            return true;
        }
        if (judgement.error() == Errors.KAFKA_STORAGE_ERROR) {
            answers.finish(item, AppendOutcome.failed(judgement.error(), judgement.message()));
        } else if (item.verified) {
            refuse(item, judgement);
        } else {
            doubted = item;
        }
        return false;
    }

    /** A producer that is wrong only because of a batch that it was told to repeat is told to repeat this one behind it. */
    private void refuse(Item item, ProducerStates.Judgement judgement) {
        String excuse = judgement.error() == Errors.OUT_OF_ORDER_SEQUENCE_NUMBER ? producers.excuse(item.batch) : null;
        if (excuse != null) {
            answers.fail(List.of(item), AppendOutcome.failed(Errors.KAFKA_STORAGE_ERROR, excuse));
        } else {
            answers.finish(item, AppendOutcome.failed(judgement.error(), judgement.message()));
        }
    }

    private void duplicate(Item item, long baseOffset, Shipment gathered) {
        Item first = find(item.batch, baseOffset, gathered);
        if (first != null) {
            answers.finishAs(item, first);
        } else if (item.replicas > 0) {
            doubted = item;
            repetition = true;
        } else {
            producers.arrived(item.batch);
            answers.finish(item, new AppendOutcome(Errors.NONE, null, baseOffset, item.batch.appendTime(), -1));
        }
    }

    /** The same batch as one that is not answered yet; another may have been given the offset where it is. */
    private @Nullable Item find(IncomingBatch batch, long baseOffset, Shipment gathered) {
        for (Shipment shipment : underWay) {
            Item found = shipment.find(batch, baseOffset);
            if (found != null) {
                return found;
            }
        }
        return gathered.find(batch, baseOffset);
    }
}
