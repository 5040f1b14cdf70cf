package io.korvet.server;

import io.korvet.store.MemoryUse;
import io.korvet.store.Store;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks now and then how full the store is, and warns before it is full. Thread-safe. */
final class MemoryWatch {

    /** From here on people are warned. */
    static final double WARN_AT = 0.8;
    /** Below this all is well again. */
    private static final double WELL_AT = 0.75;

    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final Logger LOG = LoggerFactory.getLogger(MemoryWatch.class);

    private final Store store;
    private final ScheduledExecutorService scheduler;
    private volatile double ratio = Double.NaN;
    private volatile boolean warned;
    /** Guarded by this. */
    private boolean stopped;
    /** Guarded by this. */
    private @Nullable Future<?> next;

    MemoryWatch(Store store, ScheduledExecutorService scheduler) {
        this.store = store;
        this.scheduler = scheduler;
    }

    /** Looks at once, then every ten seconds; called once. */
    void start() {
        look();
        synchronized (this) {
            if (!stopped) {
                next = scheduler.schedule(this::start, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
            }
        }
    }

    /** Ends looking. */
    synchronized void stop() {
        stopped = true;
        if (next != null) {
            next.cancel(false);
        }
    }

    /** Used to allowed memory as last seen; {@code NaN} when not known. */
    double ratio() {
        return ratio;
    }

    /** Whether people were warned and there isn't room again. */
    boolean isFilling() {
        return warned;
    }

    /** Looks once; a store that doesn't tell leaves the ratio unknown. */
    void look() {
        var unused = store.memory().handle((use, failure) -> {
            if (failure == null) {
                seen(use);
            } else {
                ratio = Double.NaN;
                LOG.atDebug().setCause(failure).log("the store doesn't tell its use of memory");
            }
            return null;
        });
    }

    private void seen(MemoryUse use) {
        ratio = use.ratio();
        if (ratio >= WARN_AT && !warned) {
            warned = true;
            LOG.atWarn()
                    .addKeyValue("usedBytes", use.usedBytes())
                    .addKeyValue("limitBytes", use.limitBytes())
                    .log(
                            "Redis uses {} % of the memory it may use; when it is full, appends fail until retention"
                                    + " makes room. Shorten (local) retention, or give it more memory",
                            Math.round(ratio * 100));
        } else if (ratio < WELL_AT && warned) {
            warned = false;
            LOG.info("Redis uses {} % of the memory it may use", Math.round(ratio * 100));
        }
    }
}
