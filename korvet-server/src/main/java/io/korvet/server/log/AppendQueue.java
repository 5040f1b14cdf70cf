package io.korvet.server.log;

import io.korvet.offsets.OffsetAllocator;
import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.server.dispatch.ErrorMapper;
import io.korvet.store.AppendBatch;
import io.korvet.store.AppendBatch.Roll;
import io.korvet.store.AppendResult;
import io.korvet.store.AppendResult.Appended;
import io.korvet.store.AppendResult.Stale;
import io.korvet.store.EntryLog;
import io.korvet.store.LogState;
import io.korvet.store.StreamName;
import io.korvet.store.WriterUpdate;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends to one partition in the order of the calls, several under way at a time.
 *
 * <p>Each append is proposed on what the queue believes of the log, including the appends still under way; the store's
 * script compares and decides. A refusal makes all later proposals refused too, so once the last answer is in, the queue
 * takes over the true state and proposes the same batches again, in order. Nothing correct depends on the belief: it is
 * only a guess that saves a round trip (ADR 0001).
 *
 * <p>Thread-safe. Answers are completed outside the lock.
 */
final class AppendQueue {

    private static final Logger LOG = LoggerFactory.getLogger(AppendQueue.class);
    private static final int UNDER_WAY = 8;
    private static final int ATTEMPTS = 20;
    private static final int PRODUCERS_IN_MEMORY = 10_000;

    private enum Phase {
        /** Nothing is known; the next append asks the store first. */
        UNKNOWN,
        /** The store has been asked. */
        LOADING,
        /** Proposals go out. */
        READY,
        /** A proposal was refused or failed; the answers still due are awaited. */
        DRAINING
    }

    /** What the queue tells its partition; called under the queue's lock, in the order of the log. */
    interface Listener {
        void appended(IncomingBatch batch, long previousLast, long baseOffset, Appended result);

        void stateRead(LogState state);

        void fenced();

        /** After {@link #appended}, outside the lock and after the producer's answer. */
        void wake();
    }

    private final StreamName stream;
    private final String incarnation;
    private final OffsetEncoding encoding;
    private final EntryLog log;
    private final InstantSource clock;
    private final Listener listener;

    private final Deque<Pending> waiting = new ArrayDeque<>();
    private final Deque<Pending> underWay = new ArrayDeque<>();
    private final List<Pending> refused = new ArrayList<>();
    private final List<Runnable> answers = new ArrayList<>();
    private final Map<Long, ProducerState> producers = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, ProducerState> eldest) {
            return size() > PRODUCERS_IN_MEMORY;
        }
    };
    private Phase phase = Phase.UNKNOWN;
    private boolean forget;
    private boolean failing;
    private @Nullable LogState truth;
    private long lastOffset;
    private @Nullable StreamEntryId lastId;
    private long segment;
    private long segmentBytes;

    AppendQueue(
            StreamName stream,
            String incarnation,
            OffsetEncoding encoding,
            EntryLog log,
            InstantSource clock,
            Listener listener) {
        this.stream = stream;
        this.incarnation = incarnation;
        this.encoding = encoding;
        this.log = log;
        this.clock = clock;
        this.listener = listener;
    }

    private static final class Pending {
        final IncomingBatch batch;
        final long segmentLimit;
        final CompletableFuture<AppendOutcome> answer = new CompletableFuture<>();
        int attempts;
        long baseOffset;

        @Nullable
        AppendResult result;

        @Nullable
        Throwable failure;

        Pending(IncomingBatch batch, long segmentLimit) {
            this.batch = batch;
            this.segmentLimit = segmentLimit;
        }

        boolean isAnswered() {
            return result != null || failure != null;
        }
    }

    /** Appends a batch; takes ownership of it. */
    CompletionStage<AppendOutcome> append(IncomingBatch batch, long segmentLimit) {
        Pending pending = new Pending(batch, segmentLimit);
        locked(() -> {
            waiting.add(pending);
            pump();
        });
        return pending.answer;
    }

    /** Forgets what is believed, for a partition whose leadership moved. */
    void forget() {
        locked(() -> {
            if (phase == Phase.READY && underWay.isEmpty()) {
                phase = Phase.UNKNOWN;
                producers.clear();
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
            step.run();
            if (outermost && !answers.isEmpty()) {
                ready = List.copyOf(answers);
                answers.clear();
            }
        }
        ready.forEach(Runnable::run);
    }

    private void pump() {
        while (phase == Phase.READY && underWay.size() < UNDER_WAY && !waiting.isEmpty()) {
            propose(waiting.remove());
        }
        if (phase == Phase.UNKNOWN && !waiting.isEmpty()) {
            load();
        }
    }

    private void load() {
        phase = Phase.LOADING;
        log.state(stream)
                .whenComplete((state, failure) -> locked(() -> {
                    if (state == null || !state.incarnation().equals(incarnation)) {
                        phase = Phase.UNKNOWN;
                        List<Pending> hopeless = new ArrayList<>(waiting);
                        waiting.clear();
                        AppendOutcome outcome = failure != null
                                ? failed(failure)
                                : AppendOutcome.failed(Errors.UNKNOWN_TOPIC_OR_PARTITION, "the topic was deleted");
                        if (failure == null) {
                            listener.fenced();
                        }
                        hopeless.forEach(pending -> finish(pending, outcome));
                        return;
                    }
                    adopt(state);
                    phase = Phase.READY;
                    pump();
                }));
    }

    private void adopt(LogState state) {
        lastId = state.last();
        lastOffset = Math.max(LogView.ceiling(encoding, state.last()), state.startOffset() - 1);
        segment = state.open().number();
        segmentBytes = state.open().bytes();
        listener.stateRead(state);
    }

    private void propose(Pending pending) {
        IncomingBatch batch = pending.batch;
        if (++pending.attempts > ATTEMPTS) {
            finish(pending, AppendOutcome.failed(Errors.KAFKA_STORAGE_ERROR, "the log kept changing under the append"));
            return;
        }
        ProducerState state = null;
        if (batch.isIdempotent()) {
            state = producers.get(batch.producerId());
            if (state != null) {
                ProducerState.Verdict verdict = state.check(batch.producerEpoch(), batch.baseSequence(), batch.count());
                if (verdict.duplicate() != null) {
                    duplicate(pending, verdict.duplicate().baseOffset());
                    return;
                }
                if (verdict.error() != Errors.NONE) {
                    finish(pending, AppendOutcome.failed(verdict.error(), sequenceMessage(batch, state)));
                    return;
                }
            }
        }
        send(pending, state);
    }

    private void send(Pending pending, @Nullable ProducerState state) {
        IncomingBatch batch = pending.batch;
        long now = clock.millis();
        long base = OffsetAllocator.next(encoding, lastOffset, now);
        Roll roll = segmentBytes > 0 && segmentBytes + batch.entryBytes() > pending.segmentLimit
                ? Roll.SEAL_FIRST
                : Roll.STAY;
        List<WriterUpdate> writers = List.of();
        if (batch.isIdempotent()) {
            ProducerState next = state == null
                    ? ProducerState.first(batch.producerEpoch(), batch.baseSequence(), batch.count(), base, now)
                    : state.after(batch.producerEpoch(), batch.baseSequence(), batch.count(), base, now);
            writers = List.of(new WriterUpdate(
                    Long.toString(batch.producerId()), state == null ? "" : state.text(), next.text()));
            producers.put(batch.producerId(), next);
        }
        AppendBatch append = new AppendBatch(
                stream,
                incarnation,
                segment,
                lastId,
                roll,
                encoding.idOf(base),
                encoding.sequencesPerMillisecond(),
                writers,
                batch.entriesForAttempt(),
                now);
        pending.baseOffset = base;
        pending.result = null;
        pending.failure = null;
        lastOffset = base + batch.count() - 1;
        lastId = encoding.idOf(lastOffset);
        if (roll == Roll.SEAL_FIRST) {
            segment++;
            segmentBytes = 0;
        }
        segmentBytes += batch.entryBytes();
        underWay.add(pending);
        log.append(append).whenComplete((result, failure) -> answered(pending, result, failure));
    }

    private void answered(Pending pending, @Nullable AppendResult result, @Nullable Throwable failure) {
        locked(() -> {
            pending.result = result;
            pending.failure = failure == null && result == null ? new IllegalStateException("no answer") : failure;
            while (!underWay.isEmpty() && underWay.element().isAnswered()) {
                settle(underWay.remove());
            }
            if (phase == Phase.DRAINING && underWay.isEmpty()) {
                recover();
            }
            pump();
        });
    }

    private void settle(Pending pending) {
        AppendResult result = pending.result;
        if (result == null) {
            phase = Phase.DRAINING;
            forget = true;
            finish(pending, failed(java.util.Objects.requireNonNull(pending.failure)));
            return;
        }
        switch (result.kind()) {
            case APPENDED -> {
                Appended appended = (Appended) result;
                if (failing) {
                    failing = false;
                    LOG.atInfo().addKeyValue("stream", stream).log("appends succeed again");
                }
                listener.appended(
                        pending.batch,
                        LogView.ceiling(encoding, appended.previousLast()),
                        pending.baseOffset,
                        appended);
                finish(
                        pending,
                        new AppendOutcome(
                                Errors.NONE,
                                null,
                                pending.baseOffset,
                                pending.batch.appendTime(),
                                appended.startOffset()));
                answers.add(listener::wake);
            }
            case STALE -> {
                Stale stale = (Stale) result;
                phase = Phase.DRAINING;
                truth = stale.state();
                stale.writers().forEach((writer, text) -> {
                    long id = Long.parseLong(writer);
                    if (text.isEmpty()) {
                        producers.remove(id);
                    } else {
                        producers.put(id, ProducerState.parse(text));
                    }
                });
                refused.add(pending);
            }
            case FENCED -> {
                phase = Phase.DRAINING;
                forget = true;
                listener.fenced();
                finish(
                        pending,
                        AppendOutcome.failed(
                                Errors.UNKNOWN_TOPIC_OR_PARTITION, "the topic was deleted, or deleted and made anew"));
            }
        }
    }

    private void recover() {
        for (int i = refused.size() - 1; i >= 0; i--) {
            waiting.addFirst(refused.get(i));
        }
        refused.clear();
        LogState state = truth;
        truth = null;
        if (forget || state == null) {
            forget = false;
            producers.clear();
            phase = Phase.UNKNOWN;
        } else {
            adopt(state);
            phase = Phase.READY;
        }
    }

    private void duplicate(Pending pending, long baseOffset) {
        for (Pending earlier : underWay) {
            if (earlier.batch.producerId() == pending.batch.producerId() && earlier.baseOffset == baseOffset) {
                pending.batch.release();
                CompletionStage<AppendOutcome> first = earlier.answer;
                answers.add(() -> first.whenComplete((outcome, failure) -> {
                    if (failure != null) {
                        pending.answer.completeExceptionally(failure);
                    } else {
                        pending.answer.complete(outcome);
                    }
                }));
                return;
            }
        }
        finish(pending, new AppendOutcome(Errors.NONE, null, baseOffset, pending.batch.appendTime(), -1));
    }

    private void finish(Pending pending, AppendOutcome outcome) {
        pending.batch.release();
        answers.add(() -> pending.answer.complete(outcome));
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

    private static String sequenceMessage(IncomingBatch batch, ProducerState state) {
        return "producer " + batch.producerId() + " epoch " + batch.producerEpoch() + " sequence "
                + batch.baseSequence() + ": the log has epoch " + state.epoch() + " and ended at sequence "
                + state.batches().get(state.batches().size() - 1).lastSequence();
    }
}
