package io.korvet.server.log;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.server.log.LogEnd.Proposal;
import io.korvet.server.log.Shipment.Item;
import io.korvet.store.AppendBatch;
import io.korvet.store.AppendResult;
import io.korvet.store.AppendResult.Appended;
import io.korvet.store.AppendResult.Stale;
import io.korvet.store.AppendResult.Uncopied;
import io.korvet.store.EntryLog;
import io.korvet.store.LogState;
import io.korvet.store.StreamName;
import io.netty.buffer.ByteBufAllocator;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends to one partition in the order of the calls: two calls under way at a time, and what comes meanwhile gathered for
 * the next.
 *
 * <p>Each call is proposed on what the queue believes of the log, including the appends still under way; the store's
 * script compares and decides. A refusal makes later proposals refused too (but for a stranger's entries in just
 * the place of the refused ones), so once the last answer is in, the queue
 * takes over the true state and proposes the same batches again, in order. Nothing correct depends on the belief: it is
 * only a guess that saves a round trip (ADR 0001). So a producer is told that it is wrong only after the store was asked
 * what is known of it.
 *
 * <p>Thread-safe. Answers are completed outside the lock.
 */
final class AppendQueue {

    private static final Logger LOG = LoggerFactory.getLogger(AppendQueue.class);
    private static final int UNDER_WAY = 2;

    private enum Phase {
        /** Nothing is known; the next append asks the store first. */
        UNKNOWN,
        /** The store has been asked. */
        LOADING,
        /** Proposals go out. */
        READY,
        /** A proposal was refused or failed; the answers still due are awaited. */
        DRAINING,
        /** By what is believed, a producer is wrong or repeats itself; the store has been asked for its state. */
        VERIFYING
    }

    private final StreamName stream;
    private final String incarnation;
    private final OffsetEncoding encoding;
    private final EntryLog log;
    private final ByteBufAllocator allocator;
    private final InstantSource clock;
    private final AppendListener listener;

    private final Deque<Item> waiting = new ArrayDeque<>();
    private final Deque<Shipment> underWay = new ArrayDeque<>();
    private final List<Item> refused = new ArrayList<>();
    private final ProducerStates producers = new ProducerStates();
    private final LogEnd end;
    private Phase phase = Phase.UNKNOWN;
    private boolean forget;
    private final Copies copies;
    private final Answers answers;
    private final Gathering gathering;
    private @Nullable LogState truth;

    AppendQueue(
            StreamName stream,
            String incarnation,
            OffsetEncoding encoding,
            EntryLog log,
            ByteBufAllocator allocator,
            InstantSource clock,
            AppendFailures failures,
            AppendListener listener) {
        this.stream = stream;
        this.incarnation = incarnation;
        this.encoding = encoding;
        this.log = log;
        this.allocator = allocator;
        this.clock = clock;
        this.listener = listener;
        this.end = new LogEnd(encoding);
        this.copies = new Copies(stream, log);
        this.answers = new Answers(stream, producers, failures);
        this.gathering = new Gathering(waiting, underWay, end, producers, copies, answers, clock);
    }

    /** Appends a batch; takes ownership of it. */
    CompletionStage<AppendOutcome> append(IncomingBatch batch, long segmentLimit) {
        return append(batch, segmentLimit, 0);
    }

    /**
     * Appends a batch; takes ownership of it.
     *
     * @param replicas how many replicas must have it before the answer, 0 for none
     */
    CompletionStage<AppendOutcome> append(IncomingBatch batch, long segmentLimit, int replicas) {
        Item item = new Item(batch, segmentLimit, replicas);
        locked(() -> {
            waiting.add(item);
            pump();
        });
        return item.answer;
    }

    /** Forgets what is believed, for a partition whose leadership moved. */
    void forget() {
        locked(() -> {
            answers.forget();
            if (phase == Phase.READY && underWay.isEmpty()) {
                phase = Phase.UNKNOWN;
                producers.forget();
            } else if (phase == Phase.VERIFYING) {
                forget = true;
            } else if (phase != Phase.LOADING && phase != Phase.UNKNOWN) {
                phase = Phase.DRAINING;
                forget = true;
            }
        });
    }

    /** Runs a step under the lock, and then, outside it, the answers that came of it and of steps within it. */
    private void locked(Runnable step) {
        boolean outermost = !Thread.holdsLock(this);
        List<Runnable> ready = List.of();
        synchronized (this) {
            try {
                step.run();
            } catch (RuntimeException e) {
                giveUp(e);
            }
            if (outermost) {
                ready = answers.take();
            }
        }
        ready.forEach(Runnable::run);
    }

    /** What nobody foresaw, such as unreadable state in the store: all who wait are told, and the next append asks anew. */
    private void giveUp(RuntimeException failure) {
        AppendOutcome outcome = answers.failed(failure);
        answers.fail(refused, outcome);
        refused.clear();
        answers.fail(List.copyOf(waiting), outcome);
        waiting.clear();
        producers.forget();
        truth = null;
        gathering.endDoubt();
        forget = !underWay.isEmpty();
        phase = forget ? Phase.DRAINING : Phase.UNKNOWN;
    }

    private void pump() {
        while (phase == Phase.READY && gathering.doubted() == null && mayGoOn()) {
            Proposal proposal = end.begin(waiting.element());
            Shipment shipment = gathering.next();
            if (shipment.isEmpty()) {
                end.takeBack(proposal);
            } else {
                send(shipment, proposal);
            }
        }
        Item doubted = gathering.doubted();
        if (phase == Phase.READY && doubted != null && underWay.isEmpty()) {
            if (gathering.isRepetition()) {
                confirm(doubted);
            } else {
                verify(doubted);
            }
        }
        if (phase == Phase.UNKNOWN && !waiting.isEmpty()) {
            load();
        }
    }

    /** Appends that wait for replicas and such that don't travel on two connections, which would mix up their order. */
    private boolean mayGoOn() {
        return !waiting.isEmpty()
                && (underWay.isEmpty()
                        || (underWay.size() < UNDER_WAY
                                && (underWay.getLast().replicas() > 0) == (waiting.element().replicas > 0)));
    }

    /**
     * Asks the store for the state of a producer that is wrong by what is believed: its batches may have gone to another
     * broker since. Nothing is under way meanwhile.
     */
    private void verify(Item item) {
        phase = Phase.VERIFYING;
        String writer = Long.toString(item.batch.producerId());
        log.writerState(stream, writer)
                .whenComplete((state, failure) -> locked(() -> {
                    phase = Phase.READY;
                    gathering.endDoubt();
                    if (failure == null) {
                        producers.learn(Map.of(writer, state == null ? "" : state));
                        item.verified = true;
                    } else {
                        waiting.remove(item);
                        answers.fail(List.of(item), answers.failed(failure));
                    }
                    if (forget) {
                        recover();
                    }
                    pump();
                }));
    }

    /** Asks the store whether a batch that is in the log, as far as is known, is there and has its copies. */
    private void confirm(Item item) {
        phase = Phase.VERIFYING;
        copies.of(item)
                .whenComplete((outcome, failure) -> locked(() -> {
                    phase = Phase.READY;
                    forget |= !gathering.confirmed(item, outcome, failure);
                    answers.add(listener::wake);
                    if (forget) {
                        recover();
                    }
                    pump();
                }));
    }

    private void load() {
        phase = Phase.LOADING;
        log.state(stream)
                .whenComplete((state, failure) -> locked(() -> {
                    if (state == null || !state.incarnation().equals(incarnation)) {
                        phase = Phase.UNKNOWN;
                        List<Item> hopeless = new ArrayList<>(waiting);
                        waiting.clear();
                        AppendOutcome outcome = failure != null
                                ? answers.failed(failure)
                                : AppendOutcome.failed(Errors.UNKNOWN_TOPIC_OR_PARTITION, "the topic was deleted");
                        if (failure == null) {
                            listener.fenced();
                        }
                        answers.fail(hopeless, outcome);
                        return;
                    }
                    adopt(state);
                    phase = Phase.READY;
                    pump();
                }));
    }

    private void adopt(LogState state) {
        end.adopt(state);
        listener.stateRead(state);
    }

    private void send(Shipment shipment, Proposal proposal) {
        AppendBatch append;
        try {
            append = proposed(shipment, proposal);
        } catch (RuntimeException e) {
            shipment.items().forEach(waiting::addFirst);
            throw e;
        }
        end.shipped();
        underWay.add(shipment);
        log.append(append, shipment.replicas()).whenComplete((result, failure) -> answered(shipment, result, failure));
    }

    private AppendBatch proposed(Shipment shipment, Proposal proposal) {
        return new AppendBatch(
                stream,
                incarnation,
                proposal.segment(),
                proposal.last(),
                proposal.roll(),
                encoding.idOf(shipment.items().get(0).baseOffset),
                encoding.sequencesPerMillisecond(),
                shipment.writers(),
                shipment.encoded(allocator),
                clock.millis());
    }

    private void answered(Shipment shipment, @Nullable AppendResult result, @Nullable Throwable failure) {
        locked(() -> {
            shipment.result = result;
            shipment.failure = failure == null && result == null ? new IllegalStateException("no answer") : failure;
            while (!underWay.isEmpty() && underWay.element().isAnswered()) {
                settle(underWay.remove());
            }
            if (phase == Phase.DRAINING && underWay.isEmpty()) {
                recover();
            }
            pump();
        });
    }

    private void settle(Shipment shipment) {
        AppendResult result = shipment.result;
        if (result == null) {
            phase = Phase.DRAINING;
            forget = true;
            answers.fail(shipment.items(), answers.failed(Objects.requireNonNull(shipment.failure)));
            return;
        }
        switch (result.kind()) {
            case APPENDED -> {
                appended(shipment, (Appended) result, null);
            }
            case UNCOPIED -> {
                copies.wereMissing();
                listener.copiesMissing();
                appended(shipment, ((Uncopied) result).appended(), answers.uncopied());
            }
            case STALE -> {
                Stale stale = (Stale) result;
                phase = Phase.DRAINING;
                refused.addAll(shipment.items());
                truth = stale.state();
                producers.learn(stale.writers());
            }
            case FENCED -> {
                phase = Phase.DRAINING;
                forget = true;
                listener.fenced();
                AppendOutcome outcome = AppendOutcome.failed(
                        Errors.UNKNOWN_TOPIC_OR_PARTITION, "the topic was deleted, or deleted and made anew");
                shipment.items().forEach(item -> answers.finish(item, outcome));
            }
        }
    }

    private void appended(Shipment shipment, Appended result, @Nullable AppendOutcome problem) {
        if (problem == null) {
            answers.succeeded();
        }
        boolean isCopied = problem == null && shipment.replicas() > 0;
        long previous = LogView.ceiling(encoding, result.previousLast());
        for (Item item : shipment.items()) {
            try {
                listener.appended(item.batch, previous, item.baseOffset, result.segment(), isCopied);
            } catch (RuntimeException e) {
                // The records are in the log, so their producer is told so whatever becomes of what we remember of
                // them.
                LOG.atError().addKeyValue("stream", stream).setCause(e).log("an append could not be taken note of");
            }
            previous = item.lastOffset();
            if (problem != null) {
                producers.failed(item.batch);
            }
            answers.finish(
                    item,
                    problem != null
                            ? problem
                            : new AppendOutcome(
                                    Errors.NONE, null, item.baseOffset, item.batch.appendTime(), result.startOffset()));
        }
        answers.add(listener::wake);
    }

    private void recover() {
        for (int i = refused.size() - 1; i >= 0; i--) {
            waiting.addFirst(refused.get(i));
        }
        refused.clear();
        gathering.endDoubt();
        LogState state = truth;
        truth = null;
        if (forget || state == null) {
            forget = false;
            producers.forget();
            waiting.forEach(item -> item.verified = false);
            phase = Phase.UNKNOWN;
        } else {
            adopt(state);
            phase = Phase.READY;
        }
    }
}
