package io.korvet.tiering;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.EntrySink;
import io.korvet.store.StreamName;
import io.korvet.tiering.ColdTierException.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cold tier that may be away when the process starts: it is opened in the background, again and again until that
 * succeeds. Until then every call fails at once with {@link Kind#UNAVAILABLE} and the reason.
 *
 * <p>Single use and thread-safe.
 */
public final class LateColdTier implements ColdTier {

    /** Hears of attempts to open the tier, on the thread that opens it; must not block. */
    public interface Observer {

        /** It is open. */
        void opened();

        /** It could not be opened, and will be tried again after a while. */
        void notOpened(ColdTierException failure, Duration pause);
    }

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    private final Supplier<? extends ColdTier> opener;
    private final ScheduledExecutorService thread;
    private final Observer observer;
    private final CompletableFuture<Void> firstAttempt = new CompletableFuture<>();
    private final Object lock = new Object();
    /** Guarded by {@link #lock}. */
    private boolean closed;
    /** Guarded by {@link #lock}. */
    private @Nullable Future<?> next;

    private volatile @Nullable ColdTier tier;
    private volatile @Nullable ColdTierException problem =
            new ColdTierException(Kind.UNAVAILABLE, "the cold tier has not been opened yet");

    /**
     * A tier that is not open and not being opened.
     *
     * @param opener opens it, blocking; fails with a {@link ColdTierException}
     * @param thread runs the opener and nothing else that can't wait; to be ended by the caller after {@link #close}
     */
    public LateColdTier(Supplier<? extends ColdTier> opener, ScheduledExecutorService thread, Observer observer) {
        this.opener = opener;
        this.thread = thread;
        this.observer = observer;
    }

    /**
     * Begins to open the tier; called once.
     *
     * @return how the first attempt ended; when it failed, the stage fails with a {@link ColdTierException} and the
     *     attempts go on
     */
    public CompletionStage<Void> open() {
        attemptAfter(Duration.ZERO, FIRST_PAUSE);
        return firstAttempt;
    }

    /**
     * What a person should know when the tier doesn't work: why it isn't open, or how the last call failed if the tier
     * didn't answer or refused; {@code null} while it works.
     */
    public @Nullable String problem() {
        ColdTierException present = problem;
        return present == null ? null : String.valueOf(present.getMessage());
    }

    private void attemptAfter(Duration pause, Duration nextPause) {
        synchronized (lock) {
            if (!closed) {
                next = thread.schedule(() -> attempt(nextPause), pause.toMillis(), TimeUnit.MILLISECONDS);
            }
        }
    }

    private void attempt(Duration pause) {
        try {
            ColdTier opened = opener.get();
            synchronized (lock) {
                if (closed) {
                    opened.close();
                    return;
                }
                problem = null;
                tier = opened;
            }
            observer.opened();
            firstAttempt.complete(null);
        } catch (RuntimeException failure) {
            ColdTierException known = failure instanceof ColdTierException cold
                    ? cold
                    : new ColdTierException(
                            Kind.UNAVAILABLE, "the cold tier can't be opened: " + failure.getMessage(), failure);
            problem = known;
            observer.notOpened(known, pause);
            firstAttempt.completeExceptionally(known);
            Duration longer = pause.multipliedBy(2);
            attemptAfter(pause, longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer);
        }
    }

    private <T> CompletionStage<T> call(Function<ColdTier, CompletionStage<T>> call) {
        ColdTier opened = tier;
        if (opened == null) {
            return CompletableFuture.failedFuture(new ColdTierException(Kind.UNAVAILABLE, String.valueOf(problem())));
        }
        return call.apply(opened).whenComplete((answer, failure) -> note(failure));
    }

    private void note(@Nullable Throwable failure) {
        if (failure == null) {
            problem = null;
            return;
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof ColdTierException cold
                && (cold.kind() == Kind.UNAVAILABLE || cold.kind() == Kind.REFUSED)) {
            problem = cold;
        }
    }

    @Override
    public CompletionStage<Void> lead(long epoch) {
        return call(opened -> opened.lead(epoch));
    }

    @Override
    public CompletionStage<Offload> offload(ColdSegment sealed, OffloadProgress progress) {
        return call(opened -> opened.offload(sealed, progress));
    }

    @Override
    public CompletionStage<Offload> find(ColdSegment sealed) {
        return call(opened -> opened.find(sealed));
    }

    @Override
    public CompletionStage<Void> removeThrough(StreamName stream, String incarnation, long lastSegment) {
        return call(opened -> opened.removeThrough(stream, incarnation, lastSegment));
    }

    @Override
    public CompletionStage<Void> removeLog(StreamName stream, String incarnation) {
        return call(opened -> opened.removeLog(stream, incarnation));
    }

    @Override
    public CompletionStage<Void> maintain() {
        return call(ColdTier::maintain);
    }

    @Override
    public CompletionStage<Integer> read(ColdSegment segment, StreamEntryId from, int count, EntrySink sink) {
        return call(opened -> opened.read(segment, from, count, sink));
    }

    @Override
    public CompletionStage<StreamEntryId> seekTimestamp(ColdSegment segment, long timestamp) {
        return call(opened -> opened.seekTimestamp(segment, timestamp));
    }

    @Override
    public void giveWay() {
        ColdTier opened = tier;
        if (opened != null) {
            opened.giveWay();
        }
    }

    @Override
    public void close() {
        ColdTier opened;
        synchronized (lock) {
            closed = true;
            opened = tier;
            if (next != null) {
                next.cancel(false);
            }
        }
        firstAttempt.completeExceptionally(new ColdTierException(Kind.UNAVAILABLE, "the cold tier is closed"));
        if (opened != null) {
            opened.close();
        }
    }
}
