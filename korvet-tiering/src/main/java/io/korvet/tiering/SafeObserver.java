package io.korvet.tiering;

import java.util.function.Consumer;
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
}
