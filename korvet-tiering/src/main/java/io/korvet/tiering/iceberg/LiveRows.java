package io.korvet.tiering.iceberg;

import java.io.IOException;
import java.util.BitSet;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericDeleteFilter;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetReaders;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.parquet.Parquet;

/** Finds by Iceberg's own rules which rows of a data file its delete files leave. */
final class LiveRows {

    private LiveRows() {}

    /** The positions in the file that are not deleted; blocks, and takes a bit per row. */
    static BitSet of(Table table, FileScanTask task) {
        Schema wanted = new Schema(MetadataColumns.ROW_POSITION);
        GenericDeleteFilter filter = new GenericDeleteFilter(table.io(), task, table.schema(), wanted);
        Schema read = filter.requiredSchema();
        BitSet live = new BitSet((int) Math.min(Integer.MAX_VALUE, task.file().recordCount()));
        try (CloseableIterable<Record> rows = Parquet.read(table.io().newInputFile(task.file()))
                        .project(read)
                        .createReaderFunc(type -> GenericParquetReaders.buildReader(read, type))
                        .build();
                CloseableIterable<Record> left = filter.filter(rows)) {
            for (Record row : left) {
                Long position = (Long) row.getField(MetadataColumns.ROW_POSITION.name());
                live.set(Math.toIntExact(position));
            }
        } catch (IOException | RuntimeException e) {
            throw ReadFailures.ofContent(task.file().location(), e);
        }
        return live;
    }
}
