package io.korvet.tiering.iceberg;

import java.time.Duration;
import java.util.Map;

/** Settings that differ in one thing. */
final class TestSettings {

    private TestSettings() {}

    static ArchiveSettings withCatalog(ArchiveSettings from, Map<String, String> catalog) {
        return new ArchiveSettings(
                from.path(),
                from.s3(),
                from.rowGroupBytes(),
                from.targetFileBytes(),
                catalog,
                from.callTimeout(),
                from.readCacheBytes(),
                from.readThreads(),
                from.readPercent(),
                from.snapshotAge(),
                from.orphanAge());
    }

    static ArchiveSettings withS3(ArchiveSettings from, ArchiveSettings.S3 s3) {
        return new ArchiveSettings(
                from.path(),
                s3,
                from.rowGroupBytes(),
                from.targetFileBytes(),
                from.catalog(),
                from.callTimeout(),
                from.readCacheBytes(),
                from.readThreads(),
                from.readPercent(),
                from.snapshotAge(),
                from.orphanAge());
    }

    static ArchiveSettings withAges(ArchiveSettings from, long targetFileBytes, Duration snapshots, Duration orphans) {
        return new ArchiveSettings(
                from.path(),
                from.s3(),
                from.rowGroupBytes(),
                targetFileBytes,
                from.catalog(),
                from.callTimeout(),
                from.readCacheBytes(),
                from.readThreads(),
                from.readPercent(),
                snapshots,
                orphans);
    }
}
