package io.korvet.tiering.iceberg;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the archive is and how it is written and read ({@code korvet.storage.remote.*}).
 *
 * @param path the root: {@code s3://bucket/prefix} or {@code file:///directory}
 * @param s3 how an S3 store is reached
 * @param rowGroupBytes a row group ends at this many bytes at the latest
 * @param targetFileBytes what small files are put together to
 * @param catalog properties of a standard Iceberg catalog ({@code type}, {@code uri} …); empty for the path-based one
 * @param callTimeout how long one call to the object store may take with its retries
 * @param readCacheBytes how much decoded data cold readers may keep in memory together
 * @param readThreads how many cold reads are carried out at a time
 * @param readPercent share of all processors that cold reads take at the most while there is hot traffic; 100 for no bound
 * @param snapshotAge how long snapshots are kept
 * @param orphanAge how old a file that belongs to nothing must be to be removed
 */
public record ArchiveSettings(
        String path,
        S3 s3,
        long rowGroupBytes,
        long targetFileBytes,
        Map<String, String> catalog,
        Duration callTimeout,
        long readCacheBytes,
        int readThreads,
        int readPercent,
        Duration snapshotAge,
        Duration orphanAge) {

    /**
     * How an S3 store is reached; what is {@code null} is left to the AWS SDK's default chains.
     *
     * @param pathStyleAccess whether the bucket is part of the path instead of the host name
     */
    public record S3(
            @Nullable String region,
            @Nullable String endpoint,
            boolean pathStyleAccess,
            @Nullable String accessKeyId,
            @Nullable String secretAccessKey) {

        /** Everything by default. */
        public static final S3 DEFAULT = new S3(null, null, false, null, null);

        @Override
        public String toString() {
            return "S3[region=" + region + ", endpoint=" + endpoint + ", pathStyleAccess=" + pathStyleAccess
                    + ", accessKeyId=" + accessKeyId + "]";
        }
    }

    /** Copies the properties. */
    public ArchiveSettings {
        catalog = Map.copyOf(catalog);
    }

    /** An archive at a path with every default. */
    public static ArchiveSettings at(String path) {
        return new ArchiveSettings(
                path,
                S3.DEFAULT,
                128L << 20,
                128L << 20,
                Map.of(),
                Duration.ofSeconds(30),
                64L << 20,
                2,
                2,
                Duration.ofHours(1),
                Duration.ofDays(3));
    }
}
