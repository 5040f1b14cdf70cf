package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.util.List;
import java.util.function.Predicate;
import org.apache.iceberg.DeleteFiles;
import org.jspecify.annotations.Nullable;

/**
 * Takes data files out of the table whose rows are all to go, by metadata alone. A file that has other rows, too (others may
 * have put several segments together) stays until all of them are to go. Safe to repeat. Blocks; thread-safe.
 */
final class SegmentRemoval {

    private static final long FOOTER_BYTES = 4 << 20;

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
        index.refresh(System.nanoTime());
        List<ArchivedFile> gone = index.files(streamKey).stream()
                .filter(due)
                .filter(file -> isOf(file, incarnation))
                .toList();
        if (gone.isEmpty()) {
            return;
        }
        DeleteFiles delete = archive.table().newDelete();
        gone.forEach(file -> delete.deleteFile(file.location()));
        CommitOutcome outcome = archive.commit(delete);
        if (outcome != CommitOutcome.COMMITTED) {
            throw new ColdTierException(
                    Kind.UNAVAILABLE,
                    "removing " + gone.size() + " files of " + streamKey + " from the archive ended " + outcome
                            + "; it is tried again");
        }
    }

    private boolean isOf(ArchivedFile file, String incarnation) {
        @Nullable String noted = FileNotes.incarnation(files.open(file).notes());
        return noted == null || noted.equals(incarnation);
    }
}
