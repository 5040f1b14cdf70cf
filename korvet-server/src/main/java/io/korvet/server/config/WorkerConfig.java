package io.korvet.server.config;

import java.time.Duration;

/** The storage worker, one of which works per cluster, by lease: {@code korvet.storage.worker}. */
public record WorkerConfig(
        @Setting(fallback = "true", text = "Take part in the storage worker's election in this JVM.")
        boolean enabled,

        @Setting(
                fallback = "1m",
                min = 100,
                max = 86_400_000,
                text = "How often segments are rolled and retention is held.")
        Duration tickInterval,

        @Setting(
                fallback = "2m",
                min = 100,
                max = 86_400_000,
                text = "How long the lease lasts unless renewed; longer than `tick-interval`.")
        Duration leaseDuration,

        @Setting(
                fallback = "2",
                min = 1,
                max = 64,
                text = "Segments copied to the cold tier at the same time, of different partitions.")
        int offloadParallelism)
        implements Checked {

    @Override
    public void check(Check check) {
        check.that(
                leaseDuration.compareTo(tickInterval) > 0,
                "lease-duration",
                "longer than korvet.storage.worker.tick-interval (" + ValueParser.show(tickInterval) + ")");
    }
}
