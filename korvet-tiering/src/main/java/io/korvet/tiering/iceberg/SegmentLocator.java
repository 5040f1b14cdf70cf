package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.util.SnapshotUtil;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a segment is in the table, by what is live in it now: the notes in the footers of its data files, the
 * summaries of snapshots for files that others rewrote without those notes, and if need be the rows themselves.
 *
 * <p>Blocks; thread-safe.
 */
final class SegmentLocator {

    private static final long FOOTER_BYTES = 4 << 20;

    private final ArchiveTable archive;
    private final SegmentIndex index;
    private final StoredFiles files;

    SegmentLocator(ArchiveTable archive) {
        Duration patience = archive.settings().callTimeout();
        this.archive = archive;
        this.index = new SegmentIndex(archive.table(), patience.multipliedBy(2));
        this.files = new StoredFiles(archive.table(), FOOTER_BYTES);
    }

    /**
     * The file that a segment is in, or one of them; {@code null} when the table has none of its rows.
     *
     * @throws ColdTierException REFUSED when the log's name is taken by rows of another incarnation, CORRUPT when a part
     *     of the segment is there
     */
    @Nullable
    String find(String streamKey, ColdSegment segment) {
        index.refresh(System.nanoTime());
        checkNobodyElses(streamKey, segment);
        List<ArchivedFile> silent = new ArrayList<>();
        for (ArchivedFile file : index.files(streamKey, segment.number())) {
            Map<String, String> notes = files.open(file).notes();
            if (FileNotes.isWrittenFor(notes, streamKey, segment) || FileNotes.isOneOf(notes, segment)) {
                return file.location();
            }
            if (!FileNotes.saysAnything(notes)) {
                silent.add(file);
            }
        }
        if (silent.isEmpty()) {
            return null;
        }
        return wasAppended(streamKey, segment) || countedIn(streamKey, segment)
                ? silent.get(0).location()
                : null;
    }

    /** All files of a log are of one incarnation, since each one was compared with another before it came. */
    private void checkNobodyElses(String streamKey, ColdSegment segment) {
        List<ArchivedFile> newestFirst = index.files(streamKey).stream()
                .sorted(Comparator.comparingLong(ArchivedFile::largestSegment).reversed())
                .toList();
        for (ArchivedFile file : newestFirst) {
            Map<String, String> notes = files.open(file).notes();
            String other = FileNotes.incarnation(notes);
            if (other != null) {
                if (!other.equals(segment.incarnation())) {
                    throw new ColdTierException(
                            Kind.REFUSED,
                            "the archive has rows of another topic that was called like that of " + segment + " (file "
                                    + file.location() + ", topic id " + other + ", expected "
                                    + segment.incarnation()
                                    + ") and was not deleted through Korvet: delete the rows with "
                                    + "stream_key = '" + streamKey + "' from the table, or use another topic name");
                }
                return;
            }
        }
    }

    private boolean wasAppended(String streamKey, ColdSegment segment) {
        Table table = archive.table();
        Map<String, String> wanted =
                new SegmentFileWriter.Identity(streamKey, segment.number(), segment.incarnation()).notes();
        for (Snapshot snapshot : SnapshotUtil.currentAncestors(table)) {
            if (snapshot.summary().entrySet().containsAll(wanted.entrySet())) {
                return true;
            }
        }
        return false;
    }

    private boolean countedIn(String streamKey, ColdSegment segment) {
        long rows = 0;
        try (CloseableIterable<Record> found = IcebergGenerics.read(archive.table())
                .where(Expressions.and(
                        Expressions.equal(ArchiveSchema.STREAM_KEY, streamKey),
                        Expressions.equal(ArchiveSchema.SEGMENT_ID, segment.number())))
                .select(ArchiveSchema.SEGMENT_ID)
                .build()) {
            for (Record ignored : found) {
                rows++;
            }
        } catch (IOException e) {
            throw ReadFailures.ofStorage(archive.table().name(), e);
        }
        if (rows != 0 && rows != segment.segment().entries()) {
            throw new ColdTierException(
                    Kind.CORRUPT,
                    "the archive has " + rows + " rows of " + segment + ", expected all "
                            + segment.segment().entries() + " or none: remove those rows to have it copied again");
        }
        return rows > 0;
    }
}
