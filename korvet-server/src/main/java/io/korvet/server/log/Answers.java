package io.korvet.server.log;

import io.korvet.server.dispatch.ErrorMapper;
import io.korvet.server.log.Shipment.Item;
import io.korvet.store.StreamName;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** What producers are told of their batches, kept until the lock is let go. Guarded by its {@link AppendQueue}. */
final class Answers {

    private final StreamName stream;
    private final ProducerStates producers;
    private final AppendFailures failures;
    private final List<Runnable> due = new ArrayList<>();
    private boolean failing;

    Answers(StreamName stream, ProducerStates producers, AppendFailures failures) {
        this.stream = stream;
        this.producers = producers;
        this.failures = failures;
    }

    /** Takes all that is to be run outside the lock, in order. */
    List<Runnable> take() {
        if (due.isEmpty()) {
            return List.of();
        }
        List<Runnable> taken = List.copyOf(due);
        due.clear();
        return taken;
    }

    /** Keeps something to be run after the answers so far. */
    void add(Runnable step) {
        due.add(step);
    }

    /** Answers a batch, and releases it. */
    void finish(Item item, AppendOutcome outcome) {
        item.batch.release();
        due.add(() -> item.answer.complete(outcome));
    }

    /** Fails batches that may come again. */
    void fail(List<Item> items, AppendOutcome outcome) {
        for (Item item : items) {
            producers.failed(item.batch);
            finish(item, outcome);
        }
    }

    /** Answers a batch as another is or will be, and releases it. */
    void finishAs(Item item, Item original) {
        item.batch.release();
        CompletionStage<AppendOutcome> answer = original.answer;
        due.add(() -> answer.whenComplete((outcome, failure) -> {
            if (failure != null) {
                item.answer.completeExceptionally(failure);
            } else {
                item.answer.complete(outcome);
            }
        }));
    }

    /** The outcome of a failure of the store. */
    AppendOutcome failed(Throwable failure) {
        Errors error = ErrorMapper.errorOf(ErrorMapper.Family.DATA, failure);
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return reported(AppendOutcome.failed(error, failure.getMessage()), cause);
    }

    /** The outcome of an append that too few replicas had in time. */
    AppendOutcome uncopied() {
        return reported(Copies.TOO_FEW, null);
    }

    private AppendOutcome reported(AppendOutcome outcome, @Nullable Throwable failure) {
        failing = true;
        failures.failed(stream, outcome, failure);
        return outcome;
    }

    /** The store has appended. */
    void succeeded() {
        if (failing) {
            failing = false;
            failures.succeeded(stream);
        }
    }

    /** Whether the store appends is not known any more. */
    void forget() {
        if (failing) {
            failing = false;
            failures.forgotten(stream);
        }
    }
}
