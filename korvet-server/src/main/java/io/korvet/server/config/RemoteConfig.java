package io.korvet.server.config;

import io.korvet.server.config.Setting.Unit;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The cold tier, which is there when it has a path: {@code korvet.storage.remote}. */
public record RemoteConfig(
        @Setting(
                text = "Root of the cold tier: `s3://bucket/prefix`, or `file:///directory` for development. Without it"
                        + " there is no cold tier.")
        @Nullable
        String path,

        S3Config s3,
        IcebergConfig iceberg,

        @Setting(
                fallback = "30s",
                min = 100,
                max = 3_600_000,
                text = "Time a call to the object store may take, its retries included.")
        Duration callTimeout,

        @Setting(
                fallback = "64MB",
                unit = Unit.BYTES,
                min = 1 << 20,
                text = "Decoded data of the cold tier kept in memory, for all its readers together.")
        long readCacheBytes,

        @Setting(fallback = "2", min = 1, max = 256, text = "Threads that read from the cold tier.")
        int readThreads,

        @Setting(
                fallback = "2",
                min = 1,
                max = 100,
                text =
                        "Share of all processors, in percent, that reads from the cold tier take at the most while records are"
                                + " produced or read from Redis; 100 for no bound.")
        int readPercent,

        @Setting(
                fallback = "1h",
                min = 1000,
                max = 31_536_000_000L,
                text = "How long snapshots of the table are kept, and with them files that were replaced or removed.")
        Duration snapshotAge,

        @Setting(
                fallback = "3d",
                min = 60_000,
                max = 31_536_000_000L,
                text = "Age at which a file below the root that belongs to nothing is removed.")
        Duration orphanAge)
        implements Checked {

    /** Whether there is a cold tier. */
    public boolean isConfigured() {
        return path != null;
    }

    @Override
    public void check(Check check) {
        check.that(
                path == null || path.matches("s3://[^/\\s]+(/\\S*)?") || path.matches("file:///\\S.*"),
                "path",
                "s3://bucket/prefix, or file:///directory for development");
    }
}
