package io.korvet.tiering;

import io.korvet.store.StreamName;
import io.korvet.tiering.WorkerObserver.Phase;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells an observer without letting its failures through. */
record SafeObserver(WorkerObserver observer, FailureLog failures) {

    private static final Logger LOGGER = LoggerFactory.getLogger(StorageWorker.class);

    /** No segment in particular. */
    static final long NO_SEGMENT = -1;

    /**
     * What a failure is about.
     *
     * @param phase what was tried
     * @param stream the log's name, {@code null} when it concerns them all
     * @param log the log, {@code null} when it concerns them all or one that is deleted
     * @param segment the segment's number, {@link #NO_SEGMENT} for none in particular
     */
    record Subject(
            Phase phase,
            @Nullable StreamName stream,
            @Nullable ManagedLog log,
            long segment) {

        static Subject of(Phase phase, @Nullable ManagedLog log) {
            return new Subject(phase, log == null ? null : log.stream(), log, NO_SEGMENT);
        }

        /** A turn where it stands. */
        static Subject of(ColdTurn turn) {
            ActiveOffload active = turn.active();
            return new Subject(turn.phase(), turn.stream(), turn.log(), active == null ? NO_SEGMENT : active.segment());
        }

        /** The same in another phase. */
        Subject at(Phase other) {
            return new Subject(other, stream, log, segment);
        }
    }

    void tell(Consumer<WorkerObserver> call) {
        try {
            call.accept(observer);
        } catch (RuntimeException e) {
            LOGGER.atError().setCause(e).log("an observer of the storage worker failed");
        }
    }

    /** Tells that an action was carried out. */
    void acted(ManagedLog log, TierAction action) {
        failures.succeeded(
                log.stream(),
                switch (action.kind()) {
                    case SEAL -> Phase.SEAL;
                    case OFFLOAD -> Phase.OFFLOAD;
                    case DROP_LOCAL -> Phase.DROP;
                    case REMOVE -> Phase.REMOVE;
                });
        tell(observer -> observer.acted(log, action));
    }

    /** Tells that the archive was kept in shape. */
    void maintained(Duration took) {
        failures.succeeded(null, Phase.MAINTAIN);
        tell(observer -> observer.maintained(took));
    }

    /** Logs a failure and tells of it. */
    void failed(Phase phase, @Nullable ManagedLog log, Throwable failure) {
        failed(Subject.of(phase, log), failure);
    }

    /** Logs a failure, unless the like of it was logged just now, and tells of it. */
    void failed(Subject subject, Throwable failure) {
        Throwable cause = cause(failure);
        failures.failed(subject, cause);
        tell(observer -> observer.failed(subject.phase(), subject.log(), cause));
    }

    /** A failure as it was before stages wrapped it. */
    static Throwable cause(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
