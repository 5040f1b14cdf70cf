package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.iceberg.DeleteFiles;

/**
 * Takes data files out of the table whose rows are all to go, by metadata alone. A file that has other rows, too (others may
 * have put several segments together) stays until all of them are to go. Safe to repeat. Blocks; thread-safe.
 */
final class SegmentRemoval {

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

    /** Files that don't say whose they are go with the log's own, unless another log of that name has files there. */
    private List<ArchivedFile> due(String streamKey, String incarnation, Predicate<ArchivedFile> due) {
        List<ArchivedFile> own = new ArrayList<>();
        List<ArchivedFile> silent = new ArrayList<>();
        boolean shared = false;
        for (ArchivedFile file : index.files(streamKey)) {
            if (due.test(file)) {
                String noted = FileNotes.incarnation(files.open(file).notes());
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
}
