package io.korvet.server.log;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.protocol.ProtocolException;
import io.korvet.server.topics.TopicSettings;
import io.korvet.store.LogState;
import io.korvet.store.StreamName;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition as its leader serves it: appends in arrival order, answers reads ({@link PartitionReads}), and tells
 * parked fetches when there is something new.
 *
 * <p>Everything it remembers is a guess about the store that can be thrown away at any time. Thread-safe; no method
 * blocks.
 */
public final class PartitionLog {

    private static final Logger LOGGER = LoggerFactory.getLogger(PartitionLog.class);

    private final String topic;
    private final int partition;
    private final StreamName stream;
    private final String incarnation;
    private final OffsetEncoding encoding;
    private final Supplier<TopicSettings> settings;
    private final LogContext context;
    private final AppendQueue appends;
    private final TailCache.Tail tail;
    private final PartitionReads reads;
    private final PartitionOffsets offsets;
    private final CopiedEnd copied;

    private final ParkedFetches parked = new ParkedFetches();
    private volatile @Nullable LogView view;
    /** Where the log ended by the store's own account; entries of other clients may follow. */
    private volatile long confirmedEnd;

    private @Nullable CompletableFuture<LogView> loading;
    private volatile boolean closed;

    PartitionLog(String topic, int partition, String topicId, Supplier<TopicSettings> settings, LogContext context) {
        this.topic = topic;
        this.partition = partition;
        this.stream = streamOf(topic, partition);
        this.incarnation = topicId;
        this.encoding = settings.get().encoding();
        this.settings = settings;
        this.context = context;
        this.tail = context.tailCache().tail();
        this.appends = new AppendQueue(
                stream,
                topicId,
                encoding,
                context.entries(),
                context.allocator(),
                context.clock(),
                context.failures(),
                new AppendEvents());
        this.reads = new PartitionReads(this, tail, new StoreReader(stream, encoding, settings, context), context);
        this.copied = new CopiedEnd(stream, topicId, encoding, settings, context, this::openSegment, this::copiedMoved);
        this.offsets =
                new PartitionOffsets(this, copied, new TimestampSearch(context.entries(), stream, encoding), encoding);
    }

    /** The name of a partition's log in the store. */
    public static StreamName streamOf(String topic, int partition) {
        return new StreamName(topic + ":" + partition);
    }

    /** The topic's name. */
    public String topic() {
        return topic;
    }

    /** The partition's number. */
    public int partition() {
        return partition;
    }

    /** The id of the topic it belongs to (UUID text). */
    public String topicId() {
        return incarnation;
    }

    /** The topic's offset encoding. */
    public OffsetEncoding encoding() {
        return encoding;
    }

    /** As {@link #append(ByteBuf, Acks)}, answered when the records are in the log. */
    public CompletionStage<AppendOutcome> append(ByteBuf records) {
        return append(records, Acks.WRITTEN);
    }

    /**
     * Appends one partition's records of a produce request.
     *
     * @param records exactly one record batch; must stay readable until the answer
     * @param acks when to answer
     */
    public CompletionStage<AppendOutcome> append(ByteBuf records, Acks acks) {
        if (closed) {
            return CompletableFuture.completedFuture(
                    AppendOutcome.failed(Errors.UNKNOWN_TOPIC_OR_PARTITION, "the topic was deleted"));
        }
        TopicSettings now = settings.get();
        IncomingBatch batch;
        try {
            batch = IncomingBatch.read(
                    records,
                    now,
                    context.entries(),
                    context.allocator(),
                    context.limits(),
                    context.clock().millis());
        } catch (ProtocolException e) {
            return CompletableFuture.completedFuture(AppendOutcome.failed(e.error(), e.getMessage()));
        }
        int count = batch.count();
        int replicas = acks == Acks.ALL ? now.minInsyncReplicas() - 1 : 0;
        long started = System.nanoTime();
        return appends.append(batch, now.segmentBytes(), replicas).thenApply(outcome -> {
            context.observer().appended(topic, count, System.nanoTime() - started, outcome.error());
            return outcome;
        });
    }

    /** Reads of its records. */
    public PartitionReads reads() {
        return reads;
    }

    /** Its offsets, as the store has them. */
    public PartitionOffsets offsets() {
        return offsets;
    }

    /** What is known of the log, {@code null} before first use. */
    @Nullable
    LogView view() {
        return view;
    }

    boolean isClosed() {
        return closed;
    }

    /** Takes note of what a read of the store found; answers what is known then. */
    synchronized LogView found(LogView current, StoreReader.Found found) {
        LogView now = view;
        LogView updated = (now == null ? current : now).endingAt(found.lastOffset() + 1);
        if (!found.isEmpty()) {
            updated = updated.averaging(found.averageBytes());
        }
        view = updated;
        return updated;
    }

    private long openSegment() {
        LogView now = view;
        return now == null ? 0 : now.segments().get(now.segments().size() - 1).number();
    }

    private boolean askWhenBehind(@Nullable LogView now) {
        boolean behind = now != null && now.endOffset() < now.logEndOffset();
        if (behind) {
            copied.ask();
        }
        return behind;
    }

    private void copiedMoved() {
        synchronized (this) {
            LogView now = view;
            LogView limited = now == null ? null : copied.limit(now);
            view = now != null && limited != null && limited.endOffset() < now.endOffset() ? now : limited;
        }
        parked.wakeAll();
    }

    /** Whether consumers see no more than what is copied. */
    boolean showsOnlyCopied() {
        return copied.isWanted();
    }

    /** Where consumers see no more than what is copied, asks how far that is; it shows when the answer is there. */
    void lookForCopies() {
        copied.ask();
    }

    /** Asks the store what the log looks like; several calls at a time share one answer. */
    CompletionStage<LogView> refresh() {
        CompletableFuture<LogView> mine;
        long knownEnd;
        synchronized (this) {
            if (loading != null) {
                return loading;
            }
            mine = new CompletableFuture<>();
            loading = mine;
            knownEnd = confirmedEnd;
        }
        context.entries().state(stream).whenComplete((state, failure) -> {
            LogView result = null;
            Throwable problem = failure;
            synchronized (this) {
                loading = null;
                if (problem == null) {
                    try {
                        result = merge(state, knownEnd);
                    } catch (RuntimeException e) {
                        problem = e;
                    }
                }
            }
            if (problem != null) {
                mine.completeExceptionally(problem);
            } else {
                forgetIfShortened(result, knownEnd);
                mine.complete(result);
                askWhenBehind(result);
            }
        });
        return mine;
    }

    /**
     * Takes over what the store told.
     *
     * @param knownEnd the confirmed end when the store was asked: what was before it must be in the answer, unless Redis lost it
     */
    private LogView merge(@Nullable LogState state, long knownEnd) {
        if (state == null || !state.incarnation().equals(incarnation)) {
            throw Errors.UNKNOWN_TOPIC_OR_PARTITION.exception("the topic was deleted, or deleted and made anew");
        }
        LogView now = view;
        LogView whole = LogView.of(state, encoding);
        copied.learn(state.copiedEnd());
        if (whole.endOffset() < knownEnd) {
            copied.cut(whole.endOffset());
            LOGGER.atWarn()
                    .addKeyValue("topic", topic)
                    .addKeyValue("partition", partition)
                    .log(
                            "Redis lost the end of the log: it ended at {} and ends at {} now",
                            knownEnd,
                            whole.endOffset());
            tail.clear();
            view = copied.limit(whole);
            confirmedEnd = whole.endOffset();
            return view;
        }
        confirmedEnd = Math.max(confirmedEnd, whole.endOffset());
        LogView read = copied.limit(whole);
        // The state came over another connection than appends: it may be older than what they already told.
        LogView merged = now != null && now.endOffset() > read.endOffset() ? now.startingAt(read.startOffset()) : read;
        view = merged;
        return merged;
    }

    /** Gives up what appends believe of a log that lost its end; not under this log's lock. */
    private void forgetIfShortened(@Nullable LogView now, long knownEnd) {
        if (now != null && now.logEndOffset() < knownEnd) {
            appends.forget();
        }
    }

    /** The log's state as the store has it now, with segments; fails when the topic is gone or the store is. */
    CompletionStage<LogState> state() {
        long knownEnd = confirmedEnd;
        return context.entries().state(stream).thenApply(state -> {
            LogView now;
            synchronized (this) {
                now = merge(state, knownEnd);
            }
            forgetIfShortened(now, knownEnd);
            return java.util.Objects.requireNonNull(state);
        });
    }

    /** Moves the start of the log (DeleteRecords); answers the start that holds now. */
    public CompletionStage<Long> truncateBefore(long startOffset) {
        return context.entries()
                .truncateBefore(stream, incarnation, startOffset)
                .thenApply(start -> {
                    if (start == null) {
                        throw Errors.UNKNOWN_TOPIC_OR_PARTITION.exception("the topic was deleted");
                    }
                    synchronized (this) {
                        LogView now = view;
                        view = now == null ? null : now.startingAt(start);
                    }
                    parked.wakeAll();
                    return start;
                });
    }

    /**
     * Calls back once when something may have changed since an end offset was seen: at once if it already has.
     *
     * @return whether it was parked; false when the call was made already
     */
    public boolean park(long seenEndOffset, Runnable wake) {
        return parked.park(
                () -> {
                    LogView now = view;
                    return closed || now == null || now.endOffset() != seenEndOffset;
                },
                wake);
    }

    /** Takes back a {@link #park}. */
    public void unpark(Runnable wake) {
        parked.unpark(wake);
    }

    /** Forgets everything remembered, for a partition that another broker leads from now on. */
    void forget() {
        appends.forget();
        tail.clear();
        synchronized (this) {
            view = null;
            confirmedEnd = 0;
            copied.forget();
        }
        parked.wakeAll();
    }

    /** Ends the log's life in this process; parked fetches are woken and find the topic gone. */
    void close() {
        closed = true;
        forget();
    }

    private final class AppendEvents implements AppendListener {
        @Override
        public void appended(IncomingBatch batch, long previousLast, long baseOffset, long segment, boolean isCopied) {
            long last = baseOffset + batch.count() - 1;
            boolean visible = isCopied || !copied.isWanted();
            if (!closed && visible) {
                tail.add(previousLast, baseOffset, last, batch.copyAt(baseOffset, context.allocator()));
            }
            synchronized (PartitionLog.this) {
                confirmedEnd = Math.max(confirmedEnd, last + 1);
                if (isCopied) {
                    copied.learn(last + 1);
                }
                LogView now = view;
                if (now != null) {
                    LogView.Part open = now.segments().get(now.segments().size() - 1);
                    LogView moved = segment == open.number() + 1 ? now.rolled(previousLast, segment) : now;
                    LogView grown = visible ? moved.endingAt(last + 1) : moved.growingTo(last + 1);
                    view = segment <= open.number() + 1 ? grown : null;
                }
            }
        }

        @Override
        public void copiesMissing() {
            copied.missed();
        }

        @Override
        public void wake() {
            parked.wakeAll();
            if (!askWhenBehind(view) && copied.isWanted()) {
                copied.note();
            }
        }

        @Override
        public void stateRead(LogState state) {
            synchronized (PartitionLog.this) {
                LogView now = view;
                LogView read = LogView.of(state, encoding);
                if (now != null && now.endOffset() > read.endOffset()) {
                    tail.clear();
                }
                copied.learn(state.copiedEnd());
                copied.cut(read.endOffset());
                view = copied.limit(read);
                confirmedEnd = read.endOffset();
            }
        }

        @Override
        public void fenced() {
            context.observer().fenced(topic, partition);
            close();
        }
    }
}
