package io.korvet.tiering.iceberg;

import io.korvet.store.Segment;
import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.iceberg.ReadFailures.FileGone;
import io.korvet.tiering.iceberg.StoredFiles.Memory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.util.LocationUtil;
import org.apache.iceberg.util.SnapshotUtil;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a segment is in the table as the store's catalog has it: exactly its rows are live in the current snapshot,
 * of that sealing where the files say of which, and the files that have them are there. What a snapshot's summary says is
 * not enough for that, nor is what was read before.
 *
 * <p>Blocks; thread-safe.
 */
final class SegmentLocator {

    private static final long FOOTER_BYTES = 4 << 20;

    private final ArchiveTable archive;
    private final SegmentIndex index;
    private final StoredFiles files;
    private final StoredFiles filesNow;
    private final SegmentPlanner planner;

    SegmentLocator(ArchiveTable archive) {
        Duration patience = archive.settings().callTimeout();
        this.archive = archive;
        this.index = new SegmentIndex(archive.table(), patience.multipliedBy(2));
        this.files = new StoredFiles(archive.table(), FOOTER_BYTES);
        this.filesNow = new StoredFiles(archive.table(), 0, Memory.NONE);
        this.planner = new SegmentPlanner(
                archive.table(),
                index,
                filesNow,
                new LoadTurns(2, new ReadShare(100, 1, System::nanoTime)),
                new BlockSpace(0));
    }

    /**
     * What the table has of a segment.
     *
     * @param file the file that it is in, or one of them; {@code null} unless exactly its rows are there
     * @param rest files that have, or may have, other rows of that segment: what is to go when it is copied again
     * @param wrong what is wrong with those, {@code null} when there are none
     */
    record Located(
            @Nullable String file,
            List<ArchivedFile> rest,
            @Nullable RuntimeException wrong) {}

    /**
     * Looks for a segment.
     *
     * @throws ColdTierException REFUSED when the log's name is taken by rows of another incarnation, or may be
     */
    Located find(String streamKey, ColdSegment segment) {
        index.refresh(System.nanoTime());
        checkNobodyElses(streamKey, segment);
        if (index.files(streamKey, segment.number()).isEmpty()) {
            return new Located(null, List.of(), null);
        }
        RuntimeException wrong;
        try {
            return new Located(planner.confirm(segment, streamKey), List.of(), null);
        } catch (FileGone e) {
            wrong = new ColdTierException(
                    Kind.CORRUPT, segment + ": data file " + e.getMessage() + " is missing, which the table names", e);
        } catch (ColdTierException e) {
            if (e.kind() != Kind.CORRUPT) {
                throw e;
            }
            wrong = e;
        }
        List<ArchivedFile> rest = rest(streamKey, segment);
        return new Located(null, rest, rest.isEmpty() ? null : wrong);
    }

    /** The files that can't be told to have nothing of a segment. */
    private List<ArchivedFile> rest(String streamKey, ColdSegment segment) {
        List<ArchivedFile> rest = new ArrayList<>();
        for (ArchivedFile file : index.files(streamKey, segment.number())) {
            Map<String, String> notes = notes(file);
            if (notes == null || !FileNotes.isOfOthers(notes, segment)) {
                rest.add(file);
            }
        }
        return rest;
    }

    /** What a file's footer says, {@code null} when the file isn't there or can't be read. */
    private @Nullable Map<String, String> notes(ArchivedFile file) {
        try {
            return files.open(file).notes();
        } catch (FileGone e) {
            return null;
        } catch (ColdTierException e) {
            if (e.kind() != Kind.CORRUPT) {
                throw e;
            }
            return null;
        }
    }

    /**
     * All files of a log are of one incarnation, since each one was compared with another before it came: so one that
     * tells is enough, or the newest snapshot that does. When all that could tell is broken and expired, the store's
     * catalog does: it says that a segment is in the archive only after that segment was compared.
     */
    private void checkNobodyElses(String streamKey, ColdSegment segment) {
        List<ArchivedFile> newestFirst = index.files(streamKey).stream()
                .sorted(Comparator.comparingLong(ArchivedFile::largestSegment).reversed())
                .toList();
        if (newestFirst.isEmpty()) {
            return;
        }
        String appendedLast = appendedLast(streamKey);
        if (segment.incarnation().equals(appendedLast)) {
            return;
        }
        List<ArchivedFile> unreadable = new ArrayList<>();
        for (ArchivedFile file : newestFirst) {
            Map<String, String> notes = notes(file);
            String other = notes == null ? null : FileNotes.incarnation(notes);
            if (segment.incarnation().equals(other)) {
                return;
            }
            if (other != null) {
                throw refused(
                        streamKey,
                        segment,
                        "file " + file.location() + ", topic id " + other + ", expected " + segment.incarnation());
            }
            if (notes == null) {
                unreadable.add(file);
            }
        }
        if (!unreadable.isEmpty()
                && (appendedLast != null
                        || unreadable.stream().noneMatch(file -> isKnownToTheStore(file, segment.newestOffloaded())))) {
            throw new ColdTierException(
                    Kind.REFUSED,
                    "whether the archive's rows with stream_key = '" + streamKey + "' are those of " + segment
                            + " or of another topic that was called like that can't be told, since file "
                            + unreadable.get(0).location() + " is missing or damaged: restore the file, delete its rows"
                            + " from the table, or move the log's start beyond segment "
                            + unreadable.get(0).largestSegment() + " with kafka-delete-records");
        }
    }

    /**
     * Whether a file may have what the store's catalog says is in this table. One that begins behind that came later than
     * what the store knows: the store went back in time, or another has written.
     */
    private boolean isKnownToTheStore(ArchivedFile file, @Nullable Segment newest) {
        return newest != null
                && newest.remoteFile() != null
                && newest.remoteFile()
                        .startsWith(
                                LocationUtil.stripTrailingSlash(archive.table().location()) + "/")
                && file.smallestSegment() <= newest.number();
    }

    private static ColdTierException refused(String streamKey, ColdSegment segment, String what) {
        return new ColdTierException(
                Kind.REFUSED,
                "the archive has rows of another topic that was called like that of " + segment + " (" + what
                        + ") and was not deleted through Korvet: delete the rows with " + "stream_key = '" + streamKey
                        + "' from the table, or use another topic name");
    }

    /** The incarnation of which the newest snapshot is that added a segment to a log; {@code null} when none is left. */
    private @Nullable String appendedLast(String streamKey) {
        for (Snapshot snapshot : SnapshotUtil.currentAncestors(archive.table())) {
            if (streamKey.equals(snapshot.summary().get(ArchiveSchema.SUMMARY_STREAM_KEY))) {
                return snapshot.summary().get(ArchiveSchema.SUMMARY_INCARNATION);
            }
        }
        return null;
    }
}
