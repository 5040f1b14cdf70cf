package io.korvet.server.log;

import io.korvet.protocol.records.RecordBatch;
import io.korvet.server.dispatch.ErrorMapper;
import io.korvet.tiering.ColdTierException;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads of one partition: from the tail cache, from Redis, or from the cold tier, by what is known of the log.
 *
 * <p>What lies outside the known log is looked up before it is answered. Thread-safe; no method blocks.
 */
public final class PartitionReads {

    private static final Logger LOGGER = LoggerFactory.getLogger(PartitionReads.class);
    private static final long COLD_LOG_NANOS = 10_000_000_000L;

    private final PartitionLog log;
    private final TailCache.Tail tail;
    private final StoreReader reader;
    private final LogContext context;
    private volatile long lookedBeyondNanos;
    private volatile long loggedColdNanos;

    PartitionReads(PartitionLog log, TailCache.Tail tail, StoreReader reader, LogContext context) {
        this.log = log;
        this.tail = tail;
        this.reader = reader;
        this.context = context;
        this.lookedBeyondNanos = System.nanoTime();
        this.loggedColdNanos = lookedBeyondNanos - COLD_LOG_NANOS;
    }

    /** How hard a read looks. */
    public enum Effort {
        /** At the believed end, answer at once with nothing. */
        KNOWN,
        /** At the believed end, ask the store whether somebody else wrote (at most about once a second). */
        LOOK_BEYOND
    }

    /**
     * Reads from an offset what is in memory: recent batches, or that there is nothing or nothing any more.
     *
     * @param offset within the log, or its end
     * @param maxBytes about how many bytes; the first batch comes whole even above it
     * @return {@code null} when the store must be asked
     */
    public @Nullable ReadOutcome inMemory(long offset, int maxBytes, Effort effort) {
        if (log.isClosed()) {
            return ReadOutcome.failed(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        long started = System.nanoTime();
        LogView now = log.view();
        if (now == null) {
            return null;
        }
        if (offset < now.startOffset()) {
            return new ReadOutcome(Errors.OFFSET_OUT_OF_RANGE, List.of(), now.endOffset(), now.startOffset());
        }
        if (now.isAtEnd(offset)) {
            return effort == Effort.LOOK_BEYOND && isTimeToLookBeyond() ? null : ReadOutcome.of(now, List.of());
        }
        List<ByteBuf> cached = tail.read(offset, maxBytes);
        if (cached == null) {
            return null;
        }
        LogView then = log.view();
        ReadOutcome outcome = ReadOutcome.of(then == null ? now : then, cached);
        context.observer()
                .read(log.topic(), LogObserver.Source.TAIL, recordsIn(outcome.records()), System.nanoTime() - started);
        return outcome;
    }

    /** Whether an offset is where the log ends, as far as is known. */
    public boolean isAtEnd(long offset) {
        LogView now = log.view();
        return now != null && now.isAtEnd(offset);
    }

    /** Whether the entries at an offset are in the cold tier, as far as is known: a read of them may take long. */
    public boolean isCold(long offset) {
        LogView now = log.view();
        return now != null && now.tierOf(offset) == Tier.COLD;
    }

    /** As {@link #fromStore(long, int, BooleanSupplier)}, by a caller who waits for the answer. */
    public CompletionStage<ReadOutcome> fromStore(long offset, int maxBytes) {
        return fromStore(offset, maxBytes, () -> false);
    }

    /**
     * Reads from an offset what the store and the cold tier have.
     *
     * @param offset within the log, or its end
     * @param maxBytes about how many bytes; the first record comes whole even above it
     * @param abandoned whether nobody wants the answer any more: a read that still waits for its turn then isn't begun
     * @return never fails: failures are error codes
     */
    public CompletionStage<ReadOutcome> fromStore(long offset, int maxBytes, BooleanSupplier abandoned) {
        LogView now = log.view();
        boolean fresh = now != null && offset >= now.startOffset() && offset < now.endOffset();
        long started = System.nanoTime();
        CompletionStage<LogView> base = fresh ? CompletableFuture.completedFuture(now) : refreshed(offset);
        return base.thenCompose(current -> readStore(current, offset, maxBytes, abandoned))
                .handle((outcome, failure) -> {
                    long took = System.nanoTime() - started;
                    LogObserver.Source source = isCold(offset) ? LogObserver.Source.COLD : LogObserver.Source.STORE;
                    if (failure != null) {
                        return failed(offset, source, failure, took);
                    }
                    context.observer().read(log.topic(), source, recordsIn(outcome.records()), took);
                    return outcome;
                });
    }

    /** An answer that was under way already may be older than what the reader was given elsewhere; another is not. */
    private CompletionStage<LogView> refreshed(long offset) {
        return log.refresh()
                .thenCompose(found ->
                        offset > found.logEndOffset() ? log.refresh() : CompletableFuture.completedFuture(found));
    }

    private ReadOutcome failed(long offset, LogObserver.Source source, Throwable failure, long took) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        Errors error = ErrorMapper.errorOf(ErrorMapper.Family.DATA, cause);
        if (cause instanceof CancellationException) {
            return ReadOutcome.failed(Errors.KAFKA_STORAGE_ERROR);
        }
        context.observer().readFailed(log.topic(), source, error, took);
        if (cause instanceof ColdTierException cold) {
            logColdFailure(offset, cold);
        }
        return ReadOutcome.failed(error);
    }

    /** Clients ask again several times a second; people need to read it less often. */
    private void logColdFailure(long offset, ColdTierException failure) {
        long now = System.nanoTime();
        if (now - loggedColdNanos > COLD_LOG_NANOS) {
            loggedColdNanos = now;
            LOGGER.atWarn()
                    .addKeyValue("topic", log.topic())
                    .addKeyValue("partition", log.partition())
                    .addKeyValue("kind", failure.kind())
                    .log("reading offset {} from the cold tier failed: {}", offset, failure.getMessage());
        }
    }

    /** Where the log starts and ends, asked of the store only when it isn't known yet; never fails. */
    public CompletionStage<ReadOutcome> nothing() {
        LogView now = log.view();
        if (now != null) {
            return CompletableFuture.completedFuture(ReadOutcome.of(now, List.of()));
        }
        return log.refresh()
                .handle((found, failure) -> failure != null
                        ? ReadOutcome.failed(ErrorMapper.errorOf(ErrorMapper.Family.DATA, failure))
                        : ReadOutcome.of(found, List.of()));
    }

    private static int recordsIn(List<ByteBuf> batches) {
        int records = 0;
        RecordBatch header = new RecordBatch();
        for (ByteBuf buffer : batches) {
            for (int at = buffer.readerIndex(); at < buffer.writerIndex(); at += header.sizeInBytes()) {
                records += header.wrap(buffer, at).count();
            }
        }
        return records;
    }

    private boolean isTimeToLookBeyond() {
        long now = System.nanoTime();
        if (now - lookedBeyondNanos < 1_000_000_000L) {
            return false;
        }
        lookedBeyondNanos = now;
        return true;
    }

    private CompletionStage<ReadOutcome> readStore(
            LogView current, long offset, int maxBytes, BooleanSupplier abandoned) {
        if (offset < current.startOffset()) {
            return CompletableFuture.completedFuture(
                    new ReadOutcome(Errors.OFFSET_OUT_OF_RANGE, List.of(), current.endOffset(), current.startOffset()));
        }
        if (offset > current.logEndOffset()) {
            LogView latest = log.view();
            if (latest == null || offset > latest.logEndOffset()) {
                return CompletableFuture.completedFuture(new ReadOutcome(
                        Errors.OFFSET_OUT_OF_RANGE, List.of(), current.endOffset(), current.startOffset()));
            }
        }
        if (log.showsOnlyCopied() && offset >= current.endOffset()) {
            log.lookForCopies();
            return CompletableFuture.completedFuture(ReadOutcome.of(current, List.of()));
        }
        return storeRead(current, offset, maxBytes, abandoned).thenCompose(found -> {
            if (found.isEmpty() && offset < current.endOffset()) {
                // The segment may have been dropped since the view was made.
                return log.refresh()
                        .thenCompose(newer -> offset < newer.startOffset()
                                ? readStore(newer, offset, maxBytes, abandoned)
                                : storeRead(newer, offset, maxBytes, abandoned)
                                        .thenApply(again -> accept(newer, again)));
            }
            return CompletableFuture.completedFuture(accept(current, found));
        });
    }

    private CompletionStage<StoreReader.Found> storeRead(
            LogView current, long offset, int maxBytes, BooleanSupplier abandoned) {
        ReadTurns turns = switch (current.tierOf(offset)) {
            case LOCAL -> context.readTurns();
            case COLD -> context.coldTurns();
        };
        return turns.inTurn(() -> abandoned.getAsBoolean()
                ? CompletableFuture.failedStage(new CancellationException())
                : reader.read(current, offset, maxBytes));
    }

    private ReadOutcome accept(LogView current, StoreReader.Found found) {
        if (found.lossy() > 0) {
            context.observer().lossy(log.topic(), found.lossy());
        }
        return ReadOutcome.of(log.found(current, found), found.records());
    }
}
