package io.korvet.server.log;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.server.dispatch.ErrorMapper;
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
    private static final int ATTEMPTS = 20;

    private enum Phase {
        /** Nothing is known; the next append asks the store first. */
        UNKNOWN,
        /** The store has been asked. */
        LOADING,
        /** Proposals go out. */
        READY,
        /** A proposal was refused or failed; the answers still due are awaited. */
        DRAINING,
        /** By what is believed, a producer is wrong; the store has been asked for its state. */
        VERIFYING
    }

    /** What the queue tells its partition; called under the queue's lock, in the order of the log. */
    interface Listener {
        void appended(IncomingBatch batch, long previousLast, long baseOffset, long segment);

        void stateRead(LogState state);

        void fenced();

        /** After {@link #appended}, outside the lock and after the producer's answer. */
        void wake();
    }

    private final StreamName stream;
    private final String incarnation;
    private final OffsetEncoding encoding;
    private final EntryLog log;
    private final ByteBufAllocator allocator;
    private final InstantSource clock;
    private final Listener listener;

    private final Deque<Item> waiting = new ArrayDeque<>();
    private final Deque<Shipment> underWay = new ArrayDeque<>();
    private final List<Item> refused = new ArrayList<>();
    private final List<Runnable> answers = new ArrayList<>();
    private final ProducerStates producers = new ProducerStates();
    private final LogEnd end;
    private Phase phase = Phase.UNKNOWN;
    private boolean forget;
    private boolean failing;
    private final Copies copies;
    private @Nullable LogState truth;
    /** The first that waits, if it is to be told of an error by what is believed; what comes after it waits too. */
    private @Nullable Item doubted;

    AppendQueue(
            StreamName stream,
            String incarnation,
            OffsetEncoding encoding,
            EntryLog log,
            ByteBufAllocator allocator,
            InstantSource clock,
            Listener listener) {
        this.stream = stream;
        this.incarnation = incarnation;
        this.encoding = encoding;
        this.log = log;
        this.allocator = allocator;
        this.clock = clock;
        this.listener = listener;
        this.end = new LogEnd(encoding);
        this.copies = new Copies(stream, log);
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
            if (outermost && !answers.isEmpty()) {
                ready = List.copyOf(answers);
                answers.clear();
            }
        }
        ready.forEach(Runnable::run);
    }

    /** What nobody foresaw, such as unreadable state in the store: all who wait are told, and the next append asks anew. */
    private void giveUp(RuntimeException failure) {
        AppendOutcome outcome = failed(failure);
        fail(refused, outcome);
        refused.clear();
        fail(List.copyOf(waiting), outcome);
        waiting.clear();
        producers.forget();
        truth = null;
        doubted = null;
        forget = !underWay.isEmpty();
        phase = forget ? Phase.DRAINING : Phase.UNKNOWN;
    }

    private void pump() {
        while (phase == Phase.READY && doubted == null && mayGoOn()) {
            Proposal proposal = end.begin(waiting.element());
            Shipment shipment = gather();
            if (shipment.isEmpty()) {
                end.takeBack(proposal);
            } else {
                send(shipment, proposal);
            }
        }
        if (phase == Phase.READY && doubted != null && underWay.isEmpty()) {
            verify(doubted);
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

    /** Takes the waiting batches that go together, giving them offsets; those with an answer already are answered. */
    private Shipment gather() {
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
                    doubted = null;
                    if (failure == null) {
                        producers.learn(Map.of(writer, state == null ? "" : state));
                        item.verified = true;
                    } else {
                        waiting.remove(item);
                        fail(List.of(item), failed(failure));
                    }
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
                                ? failed(failure)
                                : AppendOutcome.failed(Errors.UNKNOWN_TOPIC_OR_PARTITION, "the topic was deleted");
                        if (failure == null) {
                            listener.fenced();
                        }
                        fail(hopeless, outcome);
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

    /** Whether a batch is to be written; if not, it is answered, or {@link #doubted}. */
    private boolean admit(Item item, Shipment shipment) {
        IncomingBatch batch = item.batch;
        if (++item.attempts > ATTEMPTS) {
            fail(
                    List.of(item),
                    AppendOutcome.failed(Errors.KAFKA_STORAGE_ERROR, "the log kept changing under the append"));
            return false;
        }
        if (item.replicas > 0 && copies.areMissing()) {
            fail(List.of(item), Copies.REFUSED);
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
        if (item.verified || judgement.error() == Errors.KAFKA_STORAGE_ERROR) {
            finish(item, AppendOutcome.failed(judgement.error(), judgement.message()));
        } else {
            doubted = item;
        }
        return false;
    }

    /** Fails batches that may come again. */
    private void fail(List<Item> items, AppendOutcome outcome) {
        for (Item item : items) {
            producers.failed(item.batch);
            finish(item, outcome);
        }
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
            fail(shipment.items(), failed(Objects.requireNonNull(shipment.failure)));
            return;
        }
        switch (result.kind()) {
            case APPENDED -> {
                appended(shipment, (Appended) result, null);
            }
            case UNCOPIED -> {
                copies.wereMissing();
                appended(shipment, ((Uncopied) result).appended(), Copies.TOO_FEW);
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
                shipment.items().forEach(item -> finish(item, outcome));
            }
        }
    }

    private void appended(Shipment shipment, Appended result, @Nullable AppendOutcome problem) {
        if (failing) {
            failing = false;
            LOG.atInfo().addKeyValue("stream", stream).log("appends succeed again");
        }
        long previous = LogView.ceiling(encoding, result.previousLast());
        for (Item item : shipment.items()) {
            try {
                listener.appended(item.batch, previous, item.baseOffset, result.segment());
            } catch (RuntimeException e) {
                // The records are in the log, so their producer is told so whatever becomes of what we remember of
                // them.
                LOG.atError().addKeyValue("stream", stream).setCause(e).log("an append could not be taken note of");
            }
            previous = item.lastOffset();
            finish(
                    item,
                    problem != null
                            ? problem
                            : new AppendOutcome(
                                    Errors.NONE, null, item.baseOffset, item.batch.appendTime(), result.startOffset()));
        }
        answers.add(listener::wake);
    }

    /** Answers a batch that is in the log, as far as is known, once replicas have it too. */
    private void awaitCopies(Item item) {
        copies.of(item)
                .whenComplete((outcome, failure) -> locked(() -> {
                    if (outcome == null) {
                        finish(item, failed(Objects.requireNonNull(failure)));
                        return;
                    }
                    if (outcome.equals(Copies.TAKEN_BACK)) {
                        forget();
                        producers.failed(item.batch);
                    }
                    finish(item, outcome);
                }));
    }

    private void recover() {
        for (int i = refused.size() - 1; i >= 0; i--) {
            waiting.addFirst(refused.get(i));
        }
        refused.clear();
        doubted = null;
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

    private void duplicate(Item item, long baseOffset, Shipment gathering) {
        Item first = find(item.batch, baseOffset, gathering);
        if (first == null) {
            if (item.replicas > 0) {
                awaitCopies(item);
                return;
            }
            finish(item, new AppendOutcome(Errors.NONE, null, baseOffset, item.batch.appendTime(), -1));
            return;
        }
        item.batch.release();
        CompletionStage<AppendOutcome> original = first.answer;
        answers.add(() -> original.whenComplete((outcome, failure) -> {
            if (failure != null) {
                item.answer.completeExceptionally(failure);
            } else {
                item.answer.complete(outcome);
            }
        }));
    }

    /** The same batch as one that is not answered yet; another may have been given the offset where it is. */
    private @Nullable Item find(IncomingBatch batch, long baseOffset, Shipment gathering) {
        List<Shipment> shipments = new ArrayList<>(underWay);
        shipments.add(gathering);
        for (Shipment shipment : shipments) {
            for (Item item : shipment.items()) {
                if (item.batch.producerId() == batch.producerId()
                        && item.batch.baseSequence() == batch.baseSequence()
                        && item.baseOffset == baseOffset) {
                    return item;
                }
            }
        }
        return null;
    }

    private void finish(Item item, AppendOutcome outcome) {
        item.batch.release();
        answers.add(() -> item.answer.complete(outcome));
    }

    private AppendOutcome failed(Throwable failure) {
        Errors error = ErrorMapper.errorOf(ErrorMapper.Family.DATA, failure);
        if (!failing) {
            failing = true;
            LOG.atWarn()
                    .addKeyValue("stream", stream)
                    .addKeyValue("errorCode", error)
                    .log("appends fail, producers are told to try again: {}", failure.getMessage());
        }
        return AppendOutcome.failed(error, failure.getMessage());
    }
}
