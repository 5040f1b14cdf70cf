package io.korvet.tiering.iceberg;

import io.korvet.offsets.TimeEncoding;
import io.korvet.store.Stages;
import io.korvet.store.StreamName;
import io.korvet.store.redis.KeySchema;
import io.korvet.store.redis.RedisStore;
import io.korvet.store.redis.RedisStoreOptions;
import io.korvet.tiering.ManagedLog;
import io.korvet.tiering.Retention;
import io.korvet.tiering.StorageWorker;
import io.korvet.tiering.TierAction;
import io.korvet.tiering.TierPolicy;
import io.korvet.tiering.TierPolicy.Tiering;
import io.korvet.tiering.WorkerObserver;
import io.korvet.tiering.WorkerSettings;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** A process with a storage worker in it, to be killed: {@code main <redis uri> <root of the archive> <log>}. */
final class WorkerProcess {

    private WorkerProcess() {}

    /** Works until it is killed; says what it does line by line. */
    public static void main(String[] arguments) throws InterruptedException {
        RedisStore store = Stages.await(RedisStore.open(RedisStoreOptions.of(arguments[0])));
        IcebergColdTier tier =
                IcebergColdTier.open(ArchiveSettings.at(arguments[1]), new KeySchema("korvet")::log, store.entries());
        TierPolicy policy =
                new TierPolicy(1, new Retention(0, Retention.UNLIMITED), Retention.FOREVER, Tiering.ENABLED);
        ManagedLog log = new ManagedLog(new StreamName(arguments[2]), "first", new TimeEncoding(10), policy);
        StorageWorker worker = new StorageWorker(
                store,
                tier,
                () -> CompletableFuture.completedFuture(List.of(log)),
                state -> false,
                WorkerSettings.DEFAULTS
                        .with(Duration.ofMillis(20), Duration.ofMillis(200))
                        .with(new WorkerSettings.Cold(2, Duration.ofMinutes(2), Integer.MAX_VALUE)),
                new WorkerObserver() {
                    @Override
                    public void acted(ManagedLog acted, TierAction action) {
                        System.out.println(action);
                    }
                },
                new ScheduledThreadPoolExecutor(2),
                InstantSource.system());
        worker.start();
        new CountDownLatch(1).await();
    }
}
