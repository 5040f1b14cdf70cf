package io.korvet.server.log;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.server.topics.TopicSettings;
import io.korvet.store.EntryLog.Confirmation;
import io.korvet.store.StreamName;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Up to where replicas have a partition, which is as far as consumers see it (Kafka's high watermark, KIP-966), where its
 * topic's {@code min.insync.replicas} is above 1; elsewhere they see all of it (ADR 0020).
 *
 * <p>It moves with each append that replicas have. Where others appended, or without waiting for replicas, the store is asked:
 * a small write and a {@code WAIT} behind it. The end is noted in the store so that another leader knows it even when
 * replicas are missing. Thread-safe; no method blocks.
 */
final class CopiedEnd {

    private static final long SECOND_NANOS = 1_000_000_000L;

    private final StreamName stream;
    private final String incarnation;
    private final OffsetEncoding encoding;
    private final Supplier<TopicSettings> settings;
    private final LogContext context;
    private final LongSupplier openSegment;
    private final Runnable moved;

    private volatile long end;
    /** Guarded by this, as all below. */
    private @Nullable CompletableFuture<Void> asking;

    private boolean again;
    private int history;
    private @Nullable Long missedNanos;
    private long askedNanos = System.nanoTime() - SECOND_NANOS;

    /**
     * Knows nothing yet.
     *
     * @param openSegment the number of the partition's open segment, as far as is known
     * @param moved is run without locks when the end has moved by an answer of the store
     */
    CopiedEnd(
            StreamName stream,
            String incarnation,
            OffsetEncoding encoding,
            Supplier<TopicSettings> settings,
            LogContext context,
            LongSupplier openSegment,
            Runnable moved) {
        this.stream = stream;
        this.incarnation = incarnation;
        this.encoding = encoding;
        this.settings = settings;
        this.context = context;
        this.openSegment = openSegment;
        this.moved = moved;
    }

    /** Whether consumers are to see only what is copied. */
    boolean isWanted() {
        return replicas() > 0;
    }

    private int replicas() {
        return settings.get().minInsyncReplicas() - 1;
    }

    /** Where consumers see the end of a log that ends there. */
    LogView limit(LogView log) {
        return isWanted() ? log.visibleTo(end) : log;
    }

    /** All before it is copied. */
    synchronized void learn(long copiedEnd) {
        end = Math.max(end, copiedEnd);
    }

    /** The log ends there by the store's account, so what was known of places behind it is void. */
    synchronized void cut(long logEnd) {
        if (end > logEnd) {
            end = logEnd;
            history++;
        }
    }

    /** Replicas were waited for in vain: for a moment the store isn't asked. */
    synchronized void missed() {
        missedNanos = System.nanoTime();
    }

    /** Whether consumers see a record. */
    boolean shows(long offset) {
        return !isWanted() || offset < end;
    }

    /** Forgets what is known. */
    synchronized void forget() {
        end = 0;
        history++;
    }

    /** Notes the end in the store now and then while it moves. */
    void note() {
        boolean due;
        synchronized (this) {
            due = System.nanoTime() - askedNanos >= SECOND_NANOS;
        }
        if (due) {
            ask();
        }
    }

    /** Asks the store how far the log is copied, unless replicas were missing just now; after a question under way once more. */
    void ask() {
        var unused = asking();
    }

    /** Completes when the end is at a place or the store was asked after this call; never fails. */
    CompletionStage<Void> upTo(long logEnd) {
        if (!isWanted() || end >= logEnd) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> before = asking();
        // A question that was under way may be older than what the caller saw.
        return before == null ? current() : before.thenCompose(done -> current());
    }

    private synchronized CompletableFuture<Void> current() {
        return asking == null ? CompletableFuture.completedFuture(null) : asking;
    }

    /** Begins a question; answers the one that was under way, behind which another is to come, {@code null} for none. */
    private @Nullable CompletableFuture<Void> asking() {
        CompletableFuture<Void> mine;
        int then;
        int replicas = replicas();
        synchronized (this) {
            if (asking != null) {
                again = true;
                return asking;
            }
            long now = System.nanoTime();
            if (replicas <= 0 || (missedNanos != null && now - missedNanos < SECOND_NANOS)) {
                return null;
            }
            askedNanos = now;
            mine = new CompletableFuture<>();
            asking = mine;
            then = history;
        }
        context.entries()
                .confirmCopies(stream, incarnation, end, openSegment.getAsLong(), replicas)
                .whenComplete((found, failure) -> answered(mine, found, then, replicas));
        return null;
    }

    private void answered(CompletableFuture<Void> mine, @Nullable Confirmation found, int then, int replicas) {
        boolean repeat;
        boolean changed = false;
        synchronized (this) {
            asking = null;
            repeat = again;
            again = false;
            if (found == null || found.copies() < replicas) {
                missedNanos = System.nanoTime();
                repeat = false;
            }
            if (found != null && then == history) {
                long before = end;
                learn(found.copiedEnd());
                if (found.copies() >= replicas) {
                    missedNanos = null;
                    learn(endOf(found));
                } else if (endOf(found) > end) {
                    context.failures().withheld(stream, replicas, found.copies());
                }
                changed = end != before;
            }
        }
        if (changed) {
            moved.run();
        }
        if (repeat) {
            ask();
        }
        mine.complete(null);
    }

    private long endOf(Confirmation found) {
        try {
            return LogView.ceiling(encoding, found.last()) + 1;
        } catch (RuntimeException e) {
            // An entry of another client that has no place here; appends and reads say so.
            return 0;
        }
    }
}
