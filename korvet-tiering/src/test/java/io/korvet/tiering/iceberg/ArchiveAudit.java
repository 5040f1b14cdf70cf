package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;

/** Looks into the archive as it is, with plain Iceberg, and compares it with what it should be. */
final class ArchiveAudit implements AutoCloseable {

    private final ArchiveTable archive;

    ArchiveAudit(ArchiveSettings settings) {
        archive = ArchiveTable.open(settings);
    }

    /**
     * The rows of each segment of a log, by the manifests alone.
     *
     * @throws AssertionError when a file is in two live manifests, or a segment in two files
     */
    Map<Long, Long> rowsBySegment(String streamKey) {
        archive.refresh();
        Table table = archive.table();
        Map<Long, Long> rows = new TreeMap<>();
        Set<String> paths = new HashSet<>();
        if (table.currentSnapshot() == null) {
            return rows;
        }
        for (ManifestFile manifest : table.currentSnapshot().dataManifests(table.io())) {
            try (ManifestReader<DataFile> files = ManifestFiles.read(manifest, table.io(), table.specs())) {
                for (DataFile file : files) {
                    assertThat(paths.add(file.location()))
                            .as("%s is in two live manifests", file.location())
                            .isTrue();
                    if (streamKey.equals(file.partition().get(0, String.class))) {
                        String name = file.location().substring(file.location().lastIndexOf('/') + 1);
                        Long before = rows.put(Long.parseLong(name.split("-", -1)[1]), file.recordCount());
                        assertThat(before)
                                .as("segment of %s is there twice", name)
                                .isNull();
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return rows;
    }

    /** The ids of all rows of a log, in no order. */
    List<String> ids(String streamKey) {
        archive.refresh();
        try (CloseableIterable<Record> rows = IcebergGenerics.read(archive.table())
                .where(Expressions.equal(ArchiveSchema.STREAM_KEY, streamKey))
                .select(ArchiveSchema.MESSAGE_ID)
                .build()) {
            List<String> ids = new ArrayList<>();
            rows.forEach(row -> ids.add((String) row.getField(ArchiveSchema.MESSAGE_ID)));
            return ids;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Checks that what left Redis, or may leave it, is in the archive as a whole, from the start of the log on. */
    void checkNothingIsMissing(String streamKey, LogState state, OffsetEncoding encoding) {
        Map<Long, Long> rows = rowsBySegment(streamKey);
        for (Segment segment : state.sealed()) {
            StreamEntryId last = Objects.requireNonNull(segment.last());
            if (segment.state() != SegmentState.SEALED && encoding.offsetOf(last) >= state.startOffset()) {
                assertThat(rows)
                        .as("%s is %s", segment, segment.state())
                        .containsEntry(segment.number(), segment.entries());
            }
        }
    }

    @Override
    public void close() {
        archive.close();
    }
}
