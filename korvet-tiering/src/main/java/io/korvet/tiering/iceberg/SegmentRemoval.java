package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.iceberg.DeleteFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.util.SnapshotUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes data files out of the table whose rows are all to go, by metadata alone. A file that has other rows, too (others may
 * have put several segments together) stays until all of them are to go. Safe to repeat. Blocks; thread-safe.
 */
final class SegmentRemoval {

    private static final Logger LOGGER = LoggerFactory.getLogger(SegmentRemoval.class);
    private static final long FOOTER_BYTES = 4 << 20;
    private static final int ATTEMPTS = 5;

    private final ArchiveTable archive;
    private final SegmentIndex index;
    private final StoredFiles files;

    SegmentRemoval(ArchiveTable archive) {
        this.archive = archive;
        this.index = new SegmentIndex(
                archive.table(), archive.settings().callTimeout().multipliedBy(2));
        this.files = new StoredFiles(archive.table(), FOOTER_BYTES);
    }

    /** Removes a log's segments up to a number (inclusive). */
    void removeThrough(String streamKey, String incarnation, long lastSegment) {
        remove(streamKey, incarnation, file -> file.largestSegment() <= lastSegment);
    }

    /** Removes all of a log. */
    void removeLog(String streamKey, String incarnation) {
        remove(streamKey, incarnation, file -> true);
    }

    private void remove(String streamKey, String incarnation, Predicate<ArchivedFile> due) {
        for (int attempt = 1; ; attempt++) {
            index.refresh(System.nanoTime());
            List<ArchivedFile> gone = due(streamKey, incarnation, due);
            if (gone.isEmpty()) {
                return;
            }
            DeleteFiles delete = archive.table()
                    .newDelete()
                    .validateFilesExist()
                    .set(ArchiveSchema.EPOCH, Long.toString(archive.epoch()));
            gone.forEach(file -> delete.deleteFile(file.location()));
            CommitOutcome outcome = archive.commit(delete);
            if (outcome == CommitOutcome.COMMITTED) {
                return;
            }
            // Somebody has rewritten files meanwhile: what has their rows now is looked for.
            if (outcome == CommitOutcome.UNKNOWN || attempt == ATTEMPTS) {
                throw new ColdTierException(
                        Kind.UNAVAILABLE,
                        "removing " + gone.size() + " files of " + streamKey + " from the archive ended " + outcome
                                + "; it is tried again");
            }
        }
    }

    /**
     * What the table's bounds and partition say is all due. Files that don't say whose they are go with the log's own,
     * unless another log of that name has files there; those that can't be read are the log's whose segment was appended
     * last, as far as there is a snapshot of that, else they don't say. A file that is broken or gone stops nothing.
     */
    private List<ArchivedFile> due(String streamKey, String incarnation, Predicate<ArchivedFile> due) {
        List<ArchivedFile> own = new ArrayList<>();
        List<ArchivedFile> silent = new ArrayList<>();
        boolean shared = false;
        for (ArchivedFile file : index.files(streamKey)) {
            if (due.test(file)) {
                String noted = incarnation(streamKey, file);
                if (noted == null) {
                    silent.add(file);
                } else if (noted.equals(incarnation)) {
                    own.add(file);
                } else {
                    shared = true;
                }
            }
        }
        if (!shared) {
            own.addAll(silent);
        }
        return own;
    }

    private @Nullable String incarnation(String streamKey, ArchivedFile file) {
        try {
            return FileNotes.incarnation(files.open(file).notes());
        } catch (ReadFailures.FileGone | ColdTierException e) {
            if (e instanceof ColdTierException known && known.kind() != Kind.CORRUPT) {
                throw e;
            }
            LOGGER.atDebug()
                    .setCause(e)
                    .addKeyValue("file", file.location())
                    .log("a file that is to leave the archive can't be read");
            return appendedLast(streamKey, file);
        }
    }

    /** The incarnation whose segment was appended last, of those within a file's bounds. */
    private @Nullable String appendedLast(String streamKey, ArchivedFile file) {
        for (Snapshot snapshot : SnapshotUtil.currentAncestors(archive.table())) {
            Map<String, String> summary = snapshot.summary();
            String segment = summary.get(ArchiveSchema.SUMMARY_SEGMENT_ID);
            if (segment != null
                    && streamKey.equals(summary.get(ArchiveSchema.SUMMARY_STREAM_KEY))
                    && file.mayHave(Long.parseLong(segment))) {
                return summary.get(ArchiveSchema.SUMMARY_INCARNATION);
            }
        }
        return null;
    }
}
