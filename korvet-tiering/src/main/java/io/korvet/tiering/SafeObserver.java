package io.korvet.tiering;

import io.korvet.tiering.WorkerObserver.Phase;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells an observer without letting its failures through. */
record SafeObserver(WorkerObserver observer) {

    private static final Logger LOGGER = LoggerFactory.getLogger(StorageWorker.class);

    void tell(Consumer<WorkerObserver> call) {
        try {
            call.accept(observer);
        } catch (RuntimeException e) {
            LOGGER.atError().setCause(e).log("an observer of the storage worker failed");
        }
    }

    /** Logs a failure and tells of it. */
    void failed(Phase phase, @Nullable ManagedLog log, Throwable failure) {
        Throwable cause = cause(failure);
        LOGGER.atWarn()
                .setCause(cause)
                .addKeyValue("phase", phase)
                .addKeyValue("stream", log == null ? "" : log.stream())
                .log("the storage worker failed and tries again with the next tick");
        tell(observer -> observer.failed(phase, log, cause));
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
