package io.korvet.server;

import io.korvet.server.config.RemoteConfig;
import io.korvet.server.config.S3Config;
import io.korvet.tiering.ColdTier;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.LateColdTier;
import io.korvet.tiering.iceberg.ArchiveSettings;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cold tier of one process, as configured: a tier that refuses us stops the start, one that is merely away is opened
 * later. Single use.
 */
final class RemoteTier implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RemoteTier.class);

    private final String path;
    private final ScheduledExecutorService thread;
    private final LateColdTier tier;
    /** Whether a refusal stops the start, which tells of it. */
    private volatile boolean starting;

    /**
     * A tier that is not open.
     *
     * @param opener opens it, blocking; fails with a {@link ColdTierException}
     */
    RemoteTier(RemoteConfig config, Function<ArchiveSettings, ? extends ColdTier> opener, Observers observers) {
        ArchiveSettings settings = settings(config);
        path = settings.path();
        thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread opening = new Thread(task, "korvet-cold-open");
            opening.setDaemon(true);
            return opening;
        });
        tier = new LateColdTier(() -> opener.apply(settings), thread, new LateColdTier.Observer() {
            @Override
            public void opened() {
                LOG.atInfo().addKeyValue("path", path).log("the cold tier is open");
            }

            @Override
            public void notOpened(ColdTierException failure, Duration pause) {
                observers.archiveFailed(failure);
                if (starting && failure.kind() == Kind.REFUSED) {
                    return;
                }
                LOG.atWarn()
                        .addKeyValue("path", path)
                        .log(
                                "the cold tier can't be opened and is tried again in {} s: {}",
                                pause.toSeconds(),
                                failure.getMessage());
            }
        });
    }

    /** The configuration in the tier's terms. */
    static ArchiveSettings settings(RemoteConfig config) {
        String path = config.path();
        if (path == null) {
            throw new IllegalArgumentException("no korvet.storage.remote.path, so there is no cold tier");
        }
        S3Config s3 = config.s3();
        return new ArchiveSettings(
                path,
                new ArchiveSettings.S3(
                        s3.region(), s3.endpoint(), s3.pathStyleAccess(), s3.accessKeyId(), s3.secretAccessKey()),
                config.iceberg().rowGroupSize(),
                config.iceberg().targetFileSize(),
                config.iceberg().catalog(),
                config.callTimeout(),
                config.readCacheBytes(),
                config.readThreads(),
                config.readPercent(),
                config.snapshotAge(),
                config.orphanAge());
    }

    /**
     * Opens the tier, waiting for the first attempt as long as given; when that isn't over or found nobody, it goes on in
     * the background.
     *
     * @throws StartException when the tier refuses us, with what to do
     */
    void open(Duration patience) {
        starting = true;
        try {
            tier.open().toCompletableFuture().get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.atWarn()
                    .addKeyValue("path", path)
                    .log(
                            "the cold tier has not answered within {} s; it goes on in the background",
                            patience.toSeconds());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ColdTierException refused && refused.kind() == Kind.REFUSED) {
                throw new StartException(
                        "the cold tier at korvet.storage.remote.path = " + path + " can't be used: "
                                + refused.getMessage(),
                        refused);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("opening the cold tier was interrupted", e);
        }
        starting = false;
    }

    /** The tier; before it is open all its calls fail. */
    ColdTier tier() {
        return tier;
    }

    /** How the tier is, in words for people, without secrets. */
    String description() {
        @Nullable String problem = tier.problem();
        return problem == null ? path : path + ": " + problem;
    }

    /** Ends the tier; idempotent. */
    @Override
    public void close() {
        tier.close();
        thread.shutdownNow();
    }
}
