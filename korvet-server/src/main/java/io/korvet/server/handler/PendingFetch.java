package io.korvet.server.handler;

import io.korvet.server.log.PartitionLog;
import io.korvet.server.log.PartitionLog.Effort;
import io.korvet.server.log.ReadOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * One fetch from its first read to its answer: enough bytes, an error, or no time left.
 *
 * <p>In between it is parked with its partitions: no thread, no buffer and no read of the store is held, only a place in
 * each partition's list and one timer. Reads never overlap: signals that come during one cause another after it.
 */
final class PendingFetch {

    /** One partition to read; a slot with an error is not read. */
    record Slot(FetchPartition partition, @Nullable PartitionLog log, Errors error) {}

    /** What one fetch takes from the store at the most; the other partitions come with the next. */
    private static final long MOST_FROM_STORE = 8 << 20;

    private final List<Slot> slots;
    private final int minBytes;
    private final int maxBytes;
    private final CompletableFuture<List<ReadOutcome>> answer = new CompletableFuture<>();
    private final AtomicInteger signals = new AtomicInteger();
    private final Runnable wake = this::signal;
    private volatile boolean expired;
    private volatile @Nullable Future<?> timer;

    PendingFetch(List<Slot> slots, int minBytes, int maxBytes) {
        this.slots = slots;
        this.minBytes = minBytes;
        this.maxBytes = maxBytes;
    }

    /** Starts reading; the outcomes come in the order of the slots and are the caller's to release. */
    CompletionStage<List<ReadOutcome>> start(long maxWaitMilliseconds, ScheduledExecutorService timers) {
        if (maxWaitMilliseconds <= 0 || minBytes <= 0) {
            expired = true;
        }
        signal();
        if (!answer.isDone()) {
            timer = timers.schedule(this::expire, maxWaitMilliseconds, TimeUnit.MILLISECONDS);
            if (answer.isDone()) {
                timer.cancel(false);
            }
        }
        return answer;
    }

    private void expire() {
        expired = true;
        signal();
    }

    private void signal() {
        if (signals.getAndIncrement() == 0) {
            attempt();
        }
    }

    /** Runs with {@code signals > 0}, and in one thread at a time. */
    private void attempt() {
        int seen = signals.get();
        boolean last = expired;
        List<CompletableFuture<ReadOutcome>> reads = new ArrayList<>(slots.size());
        boolean waiting = false;
        boolean cut = false;
        long remaining = maxBytes;
        long remainingFromStore = MOST_FROM_STORE;
        for (Slot slot : slots) {
            PartitionLog log = slot.log();
            if (log == null) {
                reads.add(CompletableFuture.completedFuture(new ReadOutcome(slot.error(), List.of(), -1, -1)));
                continue;
            }
            int limit = (int) Math.min(remaining, slot.partition().maxBytes);
            CompletableFuture<ReadOutcome> read;
            ReadOutcome known = remaining > 0 ? inMemory(slot, log, limit, last) : null;
            if (known != null) {
                read = CompletableFuture.completedFuture(known);
                remaining -= known.sizeInBytes();
            } else if (remaining <= 0 || remainingFromStore <= 0) {
                read = log.readNothing().toCompletableFuture();
                cut = true;
            } else {
                read = log.readFromStore(slot.partition().fetchOffset, limit).toCompletableFuture();
                remaining -= limit;
                remainingFromStore -= limit;
            }
            waiting |= !read.isDone();
            reads.add(read);
        }
        boolean enough = last || cut;
        if (!waiting) {
            decide(reads, enough, seen);
        } else {
            CompletionStage<Void> all = CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new));
            all.whenComplete((nothing, failure) -> decide(reads, enough, seen));
        }
    }

    private static @Nullable ReadOutcome inMemory(Slot slot, PartitionLog log, int limit, boolean last) {
        return log.readInMemory(slot.partition().fetchOffset, limit, last ? Effort.LOOK_BEYOND : Effort.KNOWN);
    }

    private void decide(List<CompletableFuture<ReadOutcome>> reads, boolean enough, int seen) {
        List<ReadOutcome> outcomes = new ArrayList<>(reads.size());
        long bytes = 0;
        boolean failed = false;
        for (CompletableFuture<ReadOutcome> read : reads) {
            ReadOutcome outcome = read.isCompletedExceptionally()
                    ? new ReadOutcome(Errors.UNKNOWN_SERVER_ERROR, List.of(), -1, -1)
                    : read.getNow(null);
            outcomes.add(outcome);
            bytes += outcome.sizeInBytes();
            failed |= outcome.error() != Errors.NONE;
        }
        if (enough || failed || bytes >= minBytes) {
            respond(outcomes);
            return;
        }
        outcomes.forEach(ReadOutcome::release);
        if (!answer.isDone()) {
            for (int i = 0; i < slots.size(); i++) {
                PartitionLog log = slots.get(i).log();
                if (log != null && !log.park(outcomes.get(i).endOffset(), wake)) {
                    break;
                }
            }
        }
        if (signals.addAndGet(-seen) > 0) {
            unpark();
            attempt();
        }
    }

    private void respond(List<ReadOutcome> outcomes) {
        unpark();
        Future<?> running = timer;
        if (running != null) {
            running.cancel(false);
        }
        // The signals stay above 0, so no attempt follows.
        if (!answer.complete(outcomes)) {
            outcomes.forEach(ReadOutcome::release);
        }
    }

    private void unpark() {
        for (Slot slot : slots) {
            if (slot.log() != null) {
                slot.log().unpark(wake);
            }
        }
    }
}
