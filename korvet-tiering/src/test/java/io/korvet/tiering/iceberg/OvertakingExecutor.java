package io.korvet.tiering.iceberg;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/** Runs what it is given on the caller's thread, and something else before the first of it. */
final class OvertakingExecutor extends AbstractExecutorService {

    private Runnable before;

    OvertakingExecutor(Runnable before) {
        this.before = before;
    }

    @Override
    public void execute(Runnable command) {
        Runnable first = before;
        before = () -> {};
        first.run();
        command.run();
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }
}
