package io.korvet.tiering.iceberg;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.stream.StreamSupport;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.SupportsPrefixOperations;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the archive in shape, a bounded piece of work in each run: puts small files together, expires snapshots so that
 * files really go, deletes old versions of the metadata, and now and then sweeps files that belong to nothing. What it
 * commits is fenced, like everything the leader commits. Blocks; for one thread at a time.
 */
final class ArchiveMaintenance {

    /** How many snapshots stay, however old: the newest, so that what was removed goes also when nothing is added any more. */
    static final int FEWEST_SNAPSHOTS = 1;
    /** How many versions of the metadata stay, however old: those that the newest one names. */
    static final int FEWEST_VERSIONS = 100;

    private static final Logger LOGGER = LoggerFactory.getLogger(ArchiveMaintenance.class);
    private static final int MOST_VERSIONS_IN_A_RUN = 2_000;
    private static final Duration VERSION_AGE = Duration.ofMinutes(10);
    private static final Duration LONGEST_COMPACTION = Duration.ofMinutes(1);
    private static final Duration BETWEEN_SWEEPS = Duration.ofHours(6);

    /**
     * What a run did.
     *
     * @param compaction the small files that were put together
     * @param snapshots how many expired
     * @param versions how many old metadata files were deleted
     * @param orphans how many files that belonged to nothing were deleted
     */
    record Report(Compaction.Result compaction, int snapshots, int versions, int orphans) {
        boolean isIdle() {
            return compaction.written() + snapshots + versions + orphans == 0;
        }
    }

    private final ArchiveTable archive;
    private final InstantSource clock;
    private final Compaction compaction;
    private final OrphanSweep sweep;
    private @Nullable Instant swept;

    /** Of a table, by the clock that files and snapshots are stamped by. */
    ArchiveMaintenance(ArchiveTable archive, InstantSource clock) {
        this.archive = archive;
        this.clock = clock;
        this.compaction = new Compaction(archive);
        this.sweep = new OrphanSweep(archive);
    }

    /** Does what is due. Fails with {@link io.korvet.tiering.ColdTierException} and goes on with the next run. */
    Report run() {
        archive.refresh();
        Instant now = clock.instant();
        Report report =
                new Report(compaction.run(now.toEpochMilli(), LONGEST_COMPACTION), expire(now), trim(now), sweep(now));
        if (!report.isIdle()) {
            LOGGER.atInfo()
                    .addKeyValue("filesReplaced", report.compaction().replaced())
                    .addKeyValue("filesWritten", report.compaction().written())
                    .addKeyValue("snapshotsExpired", report.snapshots())
                    .addKeyValue("metadataVersionsDeleted", report.versions())
                    .addKeyValue("orphansDeleted", report.orphans())
                    .log("the archive was looked after");
        }
        return report;
    }

    private int expire(Instant now) {
        archive.refresh();
        long before = now.minus(archive.settings().snapshotAge()).toEpochMilli();
        Snapshot newest = archive.table().currentSnapshot();
        if (newest != null && newest.timestampMillis() < before && hasRemoved(newest)) {
            // What a snapshot removed is deleted when that snapshot itself expires, which the newest one never does.
            archive.commit(archive.table().newAppend());
            archive.refresh();
        }
        List<Snapshot> snapshots = StreamSupport.stream(
                        archive.table().snapshots().spliterator(), false)
                .toList();
        long old = snapshots.stream()
                .filter(snapshot -> snapshot.timestampMillis() < before)
                .count();
        if (Math.min(old, snapshots.size() - FEWEST_SNAPSHOTS) <= 0) {
            return 0;
        }
        archive.commit(archive.table().expireSnapshots().expireOlderThan(before).retainLast(FEWEST_SNAPSHOTS));
        archive.refresh();
        return snapshots.size()
                - (int) StreamSupport.stream(archive.table().snapshots().spliterator(), false)
                        .count();
    }

    private static boolean hasRemoved(Snapshot snapshot) {
        return snapshot.summary().containsKey(SnapshotSummary.DELETED_FILES_PROP);
    }

    private record OldVersion(int number, String location) {}

    /** Oldest first, so that a version is never there without those after it (see {@link PathTableOperations}). */
    private int trim(Instant now) {
        int newest = version(archive.metadata().metadataFileLocation());
        if (newest <= FEWEST_VERSIONS || !(archive.io() instanceof SupportsPrefixOperations files)) {
            return 0;
        }
        archive.checkLeading();
        long before = now.minus(VERSION_AGE).toEpochMilli();
        Iterable<FileInfo> listed = files.listPrefix(archive.table().location() + "/metadata/");
        List<OldVersion> old = StreamSupport.stream(listed.spliterator(), false)
                .filter(file -> file.createdAtMillis() < before)
                .map(file -> new OldVersion(version(file.location()), file.location()))
                .filter(version -> version.number > 0 && version.number < newest - FEWEST_VERSIONS)
                .sorted(Comparator.comparingInt(OldVersion::number))
                .limit(MOST_VERSIONS_IN_A_RUN)
                .toList();
        for (OldVersion version : old) {
            try {
                archive.io().deleteFile(version.location);
            } catch (NotFoundException e) {
                // it has gone, which is as well
            }
        }
        return old.size();
    }

    private static int version(@Nullable String location) {
        return location == null ? 0 : PathTableOperations.versionOf(location.substring(location.lastIndexOf('/') + 1));
    }

    private int sweep(Instant now) {
        Instant last = swept;
        if (last != null && now.isBefore(last.plus(BETWEEN_SWEEPS))) {
            return 0;
        }
        int deleted = sweep.run(now.minus(archive.settings().orphanAge()).toEpochMilli());
        swept = now;
        return deleted;
    }
}
