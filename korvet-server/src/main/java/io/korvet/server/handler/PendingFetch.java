package io.korvet.server.handler;

import io.korvet.server.log.PartitionLog;
import io.korvet.server.log.PartitionReads.Effort;
import io.korvet.server.log.ReadOutcome;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * One fetch from its first read to its answer: enough bytes, an error, or no time left.
 *
 * <p>In between it is parked with its partitions: no thread, no buffer and no read of the store is held, only a place in
 * each partition's list and one timer. Reads never overlap: signals that come during one cause another after it.
 *
 * <p>Reads of the cold tier may take longer than the fetch waits. It is answered without them then, with what the other
 * partitions have; what comes late stays in the cold tier's memory for the client's next fetch.
 */
final class PendingFetch {

    /** One partition to read; a slot with an error is not read. */
    record Slot(FetchPartition partition, @Nullable PartitionLog log, Errors error) {}

    /** What one fetch takes from the store at the most; the other partitions come with the next. */
    private static final long MOST_FROM_STORE = 8 << 20;
    /** What a look beyond the believed end takes of that: mostly nothing is there, and what is comes with the next fetch. */
    private static final int BYTES_OF_A_LOOK = 64 << 10;
    /** At how many partitions one fetch looks; of more, at the next ones from any, so that each has its turn. */
    private static final int MOST_LOOKS = (int) (MOST_FROM_STORE / BYTES_OF_A_LOOK);
    /** How long a fetch with nothing else to tell waits for the cold tier (Kafka's {@code remote.fetch.max.wait.ms}). */
    private static final long COLD_WAIT_MILLISECONDS = 500;

    private final List<Slot> slots;
    private final int firstLook;
    private final int minBytes;
    private final int maxBytes;
    private final ScheduledExecutorService timers;
    private final CompletableFuture<List<ReadOutcome>> answer = new CompletableFuture<>();
    private final AtomicInteger signals = new AtomicInteger();
    private final Runnable wake = this::signal;
    private volatile boolean expired;
    private volatile long deadlineNanos;
    private volatile @Nullable Future<?> timer;

    PendingFetch(List<Slot> slots, int minBytes, int maxBytes, ScheduledExecutorService timers) {
        this.timers = timers;
        this.slots = slots;
        this.firstLook = slots.isEmpty() ? 0 : ThreadLocalRandom.current().nextInt(slots.size());
        this.minBytes = minBytes;
        this.maxBytes = maxBytes;
    }

    /** Starts reading; the outcomes come in the order of the slots and are the caller's to release. */
    CompletionStage<List<ReadOutcome>> start(long maxWaitMilliseconds) {
        deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.max(0, maxWaitMilliseconds));
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
        FetchReads reads = new FetchReads();
        boolean cut = false;
        long remaining = maxBytes;
        long remainingFromStore = MOST_FROM_STORE;
        for (int index = 0; index < slots.size(); index++) {
            Slot slot = slots.get(index);
            PartitionLog log = slot.log();
            if (log == null) {
                reads.add(completed(new ReadOutcome(slot.error(), List.of(), -1, -1)));
                continue;
            }
            boolean look =
                    last && remainingFromStore > 0 && Math.floorMod(index - firstLook, slots.size()) < MOST_LOOKS;
            boolean atEnd = log.reads().isAtEnd(slot.partition().fetchOffset);
            int most = look && atEnd ? BYTES_OF_A_LOOK : slot.partition().maxBytes;
            int limit = (int) Math.min(remaining, Math.min(most, slot.partition().maxBytes));
            ReadOutcome known = remaining > 0 ? inMemory(slot, log, limit, look) : null;
            if (known != null) {
                reads.add(completed(known));
                remaining -= known.sizeInBytes();
            } else if (remaining <= 0 || remainingFromStore <= 0) {
                reads.add(log.reads().nothing());
                cut = true;
            } else {
                long offset = slot.partition().fetchOffset;
                if (log.reads().isCold(offset)) {
                    reads.addCold(log.offsets()::known, abandoned -> log.reads().fromStore(offset, limit, abandoned));
                } else {
                    reads.add(log.reads().fromStore(offset, limit));
                }
                remaining -= limit;
                remainingFromStore -= limit;
            }
        }
        boolean enough = last || cut;
        long left = Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime()));
        var unused = reads.whenOver(timers, left, Math.max(left, COLD_WAIT_MILLISECONDS))
                .thenAccept(outcomes -> decide(outcomes.list(), enough || !outcomes.complete(), seen));
    }

    private static CompletionStage<ReadOutcome> completed(ReadOutcome outcome) {
        return CompletableFuture.completedFuture(outcome);
    }

    private static @Nullable ReadOutcome inMemory(Slot slot, PartitionLog log, int limit, boolean look) {
        return log.reads().inMemory(slot.partition().fetchOffset, limit, look ? Effort.LOOK_BEYOND : Effort.KNOWN);
    }

    private void decide(List<ReadOutcome> outcomes, boolean enough, int seen) {
        long bytes = 0;
        boolean failed = false;
        for (ReadOutcome outcome : outcomes) {
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
