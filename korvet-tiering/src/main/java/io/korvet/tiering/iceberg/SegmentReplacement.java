package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.parquet.Parquet;
import org.jspecify.annotations.Nullable;

/**
 * Puts a new copy of a segment in the place of whatever the table has of it, in one commit: a file of that segment alone goes
 * as a whole, and in files that have others, too, an equality delete takes the segment's rows away, which does not read them.
 * Single use; blocks.
 */
final class SegmentReplacement {

    private final ArchiveTable archive;
    private final String streamKey;
    private final ColdSegment segment;
    private @Nullable OutputFile deletes;

    SegmentReplacement(ArchiveTable archive, String streamKey, ColdSegment segment) {
        this.archive = archive;
        this.streamKey = streamKey;
        this.segment = segment;
    }

    /** Where it deletes rows, {@code null} if it needs no such file. */
    @Nullable
    OutputFile deletes() {
        return deletes;
    }

    /** The change of the table, not yet committed; the commit fails if the files aren't those any more. */
    RowDelta of(DataFile copy, List<ArchivedFile> rest) {
        Table table = archive.table();
        Snapshot snapshot = table.currentSnapshot();
        Map<String, DataFile> live = live();
        RowDelta change = table.newRowDelta().addRows(copy);
        boolean others = false;
        for (ArchivedFile file : rest) {
            DataFile named = live.get(file.location());
            if (named == null) {
                throw new ColdTierException(
                        Kind.UNAVAILABLE,
                        file.location() + " was rewritten while " + segment
                                + " was copied again to replace what it has; " + "it is tried again");
            }
            if (!streamKey.equals(file.streamKey())
                    || named.specId() != table.spec().specId()) {
                throw new ColdTierException(
                        Kind.CORRUPT,
                        file.location() + " has rows of " + segment + " that are not what the store has, and is not "
                                + "partitioned by stream_key: remove those rows to have the segment copied again");
            }
            if (file.smallestSegment() == segment.number() && file.largestSegment() == segment.number()) {
                change.removeRows(named);
            } else {
                others = true;
            }
        }
        if (others) {
            change.addDeletes(deletion(table));
        }
        if (snapshot != null) {
            change.validateFromSnapshot(snapshot.snapshotId());
        }
        return change.validateDeletedFiles();
    }

    private Map<String, DataFile> live() {
        Map<String, DataFile> live = new HashMap<>();
        try (CloseableIterable<FileScanTask> tasks = archive.table()
                .newScan()
                .filter(Expressions.and(
                        Expressions.equal(ArchiveSchema.STREAM_KEY, streamKey),
                        Expressions.equal(ArchiveSchema.SEGMENT_ID, segment.number())))
                .includeColumnStats()
                .planFiles()) {
            for (FileScanTask task : tasks) {
                live.put(task.file().location(), task.file().copy());
            }
        } catch (IOException e) {
            throw ArchiveFailures.of("looking for what is left of " + segment, e);
        }
        return live;
    }

    private DeleteFile deletion(Table table) {
        OutputFile file = archive.newDataFile(streamKey, segment.number());
        deletes = file;
        Schema key = table.schema().select(ArchiveSchema.SEGMENT_ID);
        try {
            EqualityDeleteWriter<Record> writer = Parquet.writeDeletes(file)
                    .forTable(table)
                    .rowSchema(key)
                    .withPartition(ArchiveSchema.partition(table.spec(), streamKey))
                    .createWriterFunc(GenericParquetWriter::create)
                    .equalityFieldIds(key.findField(ArchiveSchema.SEGMENT_ID).fieldId())
                    .buildEqualityWriter();
            try (writer) {
                GenericRecord row = GenericRecord.create(key);
                row.setField(ArchiveSchema.SEGMENT_ID, segment.number());
                writer.write(row);
            }
            return writer.toDeleteFile();
        } catch (IOException e) {
            throw ArchiveFailures.of("writing what " + segment + " replaces", e);
        }
    }
}
