package io.korvet.server.handler;

import io.korvet.server.log.LogBounds;
import io.korvet.server.log.ReadOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * The reads of one attempt to answer a fetch. Those of the cold tier are given up when they take too long; what they find
 * later is released. Reads are added by one thread, which then calls {@link #whenOver}; single use.
 */
final class FetchReads {

    private static final ReadOutcome NOTHING = new ReadOutcome(Errors.NONE, List.of(), -1, -1);

    /** With the bounds of the log for when it is given up, {@code null} for one that isn't. */
    private record Read(
            CompletableFuture<ReadOutcome> outcome,
            @Nullable Supplier<@Nullable LogBounds> cold) {}

    /**
     * What came of all reads, in the order they were added.
     *
     * @param complete whether none was given up
     */
    record Outcomes(List<ReadOutcome> list, boolean complete) {}

    private final List<Read> reads = new ArrayList<>();
    private final AtomicBoolean over = new AtomicBoolean();
    private final CompletableFuture<Outcomes> outcomes = new CompletableFuture<>();
    private volatile boolean abandoned;

    /** Adds a read that is waited for in any case. */
    void add(CompletionStage<ReadOutcome> read) {
        reads.add(new Read(read.toCompletableFuture(), null));
    }

    /** Adds a read that may be given up, when only the bounds are answered; it is told whether that was done. */
    void addCold(Supplier<@Nullable LogBounds> bounds, Function<BooleanSupplier, CompletionStage<ReadOutcome>> read) {
        reads.add(new Read(read.apply(() -> abandoned).toCompletableFuture(), bounds));
    }

    /** Whether one of the reads can be given up. */
    private boolean hasCold() {
        return reads.stream().anyMatch(FetchReads::isUnderWayInColdTier);
    }

    private static boolean isUnderWayInColdTier(Read read) {
        return read.cold() != null && !read.outcome().isDone();
    }

    /**
     * Completes with the outcomes when all reads are done.
     *
     * @param timers gives reads of the cold tier up: after the first wait if there is something to answer, after the
     *     second in any case
     */
    CompletionStage<Outcomes> whenOver(
            ScheduledExecutorService timers, long waitWithDataMilliseconds, long waitMilliseconds) {
        if (reads.stream().allMatch(read -> read.outcome().isDone())) {
            end();
            return outcomes;
        }
        CompletableFuture<?>[] all = reads.stream().map(Read::outcome).toArray(CompletableFuture[]::new);
        CompletionStage<?> allDone = CompletableFuture.allOf(all);
        allDone.whenComplete((nothing, failure) -> end());
        if (hasCold()) {
            CompletableFuture<?>[] others = reads.stream()
                    .filter(read -> read.cold() == null)
                    .map(Read::outcome)
                    .toArray(CompletableFuture[]::new);
            CompletionStage<?> othersDone = CompletableFuture.allOf(others);
            after(
                    timers,
                    waitWithDataMilliseconds,
                    () -> othersDone.whenComplete((nothing, failure) -> {
                        if (hasData()) {
                            end();
                        }
                    }));
            after(timers, waitMilliseconds, () -> othersDone.whenComplete((nothing, failure) -> end()));
        }
        return outcomes;
    }

    private void after(ScheduledExecutorService timers, long milliseconds, Runnable work) {
        Future<?> timer = timers.schedule(work, milliseconds, TimeUnit.MILLISECONDS);
        var unused = outcomes.whenComplete((result, failure) -> timer.cancel(false));
    }

    private boolean hasData() {
        return reads.stream()
                .anyMatch(read -> read.outcome().isDone()
                        && !read.outcome().isCompletedExceptionally()
                        && read.outcome().getNow(NOTHING).sizeInBytes() > 0);
    }

    private void end() {
        if (!over.compareAndSet(false, true)) {
            return;
        }
        List<ReadOutcome> list = new ArrayList<>(reads.size());
        boolean complete = true;
        for (Read read : reads) {
            CompletableFuture<ReadOutcome> outcome = read.outcome();
            if (!outcome.isDone()) {
                complete = false;
                abandoned = true;
                list.add(nothingYet(read.cold()));
                var unused = outcome.thenAccept(ReadOutcome::release);
            } else {
                list.add(
                        outcome.isCompletedExceptionally()
                                ? new ReadOutcome(Errors.UNKNOWN_SERVER_ERROR, List.of(), -1, -1)
                                : outcome.getNow(NOTHING));
            }
        }
        outcomes.complete(new Outcomes(list, complete));
    }

    private static ReadOutcome nothingYet(@Nullable Supplier<@Nullable LogBounds> known) {
        LogBounds bounds = known == null ? null : known.get();
        return bounds == null
                ? NOTHING
                : new ReadOutcome(Errors.NONE, List.of(), bounds.endOffset(), bounds.startOffset());
    }
}
