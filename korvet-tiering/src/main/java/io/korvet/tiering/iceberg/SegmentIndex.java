package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * The table's data files by stream and segment, from its manifests, in memory. Each manifest is read once, since it never
 * changes; a new snapshot costs the manifests that are new in it.
 *
 * <p>Thread-safe. {@link #refresh} blocks, one caller at a time; {@link #files} never does.
 */
final class SegmentIndex {

    private record Manifest(Map<String, List<ArchivedFile>> byStream, List<ArchivedFile> others) {}

    private record View(long snapshot, Map<String, Manifest> manifests, boolean deletes) {}

    private final Table table;
    private final Duration patience;
    private final ReentrantLock turn = new ReentrantLock();
    private volatile View view = new View(-1, Map.of(), false);
    private volatile long refreshedNanos;
    private volatile boolean refreshed;

    /** An index that knows nothing yet; callers wait for another's refresh no longer than their patience. */
    SegmentIndex(Table table, Duration patience) {
        this.table = table;
        this.patience = patience;
    }

    /** Looks at the table again unless somebody began to do so after a moment ({@link System#nanoTime}). */
    void refresh(long since) {
        try {
            if (!turn.tryLock(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new ColdTierException(
                        Kind.UNAVAILABLE, "table " + table.name() + " was not read within " + patience);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ColdTierException(Kind.UNAVAILABLE, "the archive is being closed", e);
        }
        try {
            if (!isNewerThan(since)) {
                long began = System.nanoTime();
                load();
                refreshedNanos = began;
                refreshed = true;
            }
        } catch (ColdTierException e) {
            throw e;
        } catch (RuntimeException e) {
            throw ReadFailures.ofTable(table.name(), e);
        } finally {
            turn.unlock();
        }
    }

    /** Whether the table was looked at after a moment. */
    boolean isNewerThan(long since) {
        return refreshed && refreshedNanos - since >= 0;
    }

    /** Whether the table was looked at. */
    boolean isLoaded() {
        return refreshed;
    }

    private void load() {
        table.refresh();
        Snapshot snapshot = table.currentSnapshot();
        if (snapshot == null) {
            view = new View(-1, Map.of(), false);
            return;
        }
        View before = view;
        if (snapshot.snapshotId() == before.snapshot()) {
            return;
        }
        Map<String, Manifest> manifests = new HashMap<>();
        for (ManifestFile manifest : snapshot.dataManifests(table.io())) {
            Manifest known = before.manifests().get(manifest.path());
            manifests.put(manifest.path(), known == null ? read(manifest) : known);
        }
        boolean deletes = snapshot.deleteManifests(table.io()).stream()
                .anyMatch(manifest -> manifest.hasAddedFiles() || manifest.hasExistingFiles());
        view = new View(snapshot.snapshotId(), manifests, deletes);
    }

    private Manifest read(ManifestFile manifest) {
        Map<String, List<ArchivedFile>> byStream = new HashMap<>();
        List<ArchivedFile> others = new ArrayList<>();
        try (ManifestReader<DataFile> reader = ManifestFiles.read(manifest, table.io(), table.specs())) {
            Place streamKey = streamKeyIn(reader.spec());
            int segmentField = table.schema().findField("segment_id").fieldId();
            int timestampField = table.schema().findField("ts").fieldId();
            for (DataFile file : reader) {
                if (file.recordCount() == 0) {
                    // Some writers leave a file of no bytes for no rows.
                    continue;
                }
                String key = streamKey == null ? null : file.partition().get(streamKey.position(), String.class);
                ArchivedFile archived = new ArchivedFile(
                        file.location(),
                        file.format().name(),
                        file.fileSizeInBytes(),
                        file.recordCount(),
                        key,
                        bound(file.lowerBounds(), segmentField, Long.MIN_VALUE),
                        bound(file.upperBounds(), segmentField, Long.MAX_VALUE),
                        bound(file.lowerBounds(), timestampField, Long.MIN_VALUE),
                        bound(file.upperBounds(), timestampField, Long.MAX_VALUE));
                if (key == null) {
                    others.add(archived);
                } else {
                    byStream.computeIfAbsent(key, missing -> new ArrayList<>(1)).add(archived);
                }
            }
        } catch (java.io.IOException e) {
            throw ReadFailures.ofStorage(manifest.path(), e);
        }
        return new Manifest(byStream, others);
    }

    private record Place(int position) {}

    private @Nullable Place streamKeyIn(PartitionSpec spec) {
        int source = table.schema().findField("stream_key").fieldId();
        for (int i = 0; i < spec.fields().size(); i++) {
            PartitionField field = spec.fields().get(i);
            if (field.sourceId() == source && field.transform().isIdentity()) {
                return new Place(i);
            }
        }
        return null;
    }

    private static long bound(@Nullable Map<Integer, ByteBuffer> bounds, int field, long unknown) {
        ByteBuffer bound = bounds == null ? null : bounds.get(field);
        return bound == null ? unknown : Conversions.<Long>fromByteBuffer(Types.LongType.get(), bound);
    }

    /** The files that can have rows of a segment, as of the last refresh. */
    List<ArchivedFile> files(String streamKey, long segment) {
        List<ArchivedFile> found = new ArrayList<>();
        for (Manifest manifest : view.manifests().values()) {
            add(manifest.byStream().getOrDefault(streamKey, List.of()), segment, found);
            add(manifest.others(), segment, found);
        }
        return found;
    }

    /** All files that have rows of a log, as of the last refresh. */
    List<ArchivedFile> files(String streamKey) {
        List<ArchivedFile> found = new ArrayList<>();
        for (Manifest manifest : view.manifests().values()) {
            found.addAll(manifest.byStream().getOrDefault(streamKey, List.of()));
        }
        return found;
    }

    /** All files whose log is known, by log, as of the last refresh. */
    Map<String, List<ArchivedFile>> filesByStream() {
        Map<String, List<ArchivedFile>> found = new HashMap<>();
        for (Manifest manifest : view.manifests().values()) {
            manifest.byStream()
                    .forEach((streamKey, files) -> found.computeIfAbsent(streamKey, missing -> new ArrayList<>())
                            .addAll(files));
        }
        return found;
    }

    private static void add(List<ArchivedFile> files, long segment, List<ArchivedFile> found) {
        for (ArchivedFile file : files) {
            if (file.mayHave(segment)) {
                found.add(file);
            }
        }
    }

    /** Whether delete files take rows of data files away. */
    boolean hasDeletes() {
        return view.deletes();
    }

    /** The tasks to scan a segment, with the delete files that apply to each data file; blocks. */
    Map<String, FileScanTask> deletes(String streamKey, long segment) {
        Map<String, FileScanTask> tasks = new HashMap<>();
        try (CloseableIterable<FileScanTask> planned = table.newScan()
                .useSnapshot(view.snapshot())
                .filter(Expressions.and(
                        Expressions.equal("stream_key", streamKey), Expressions.equal("segment_id", segment)))
                .planFiles()) {
            for (FileScanTask task : planned) {
                if (!task.deletes().isEmpty()) {
                    tasks.put(task.file().location(), task);
                }
            }
        } catch (java.io.IOException e) {
            throw ReadFailures.ofStorage(table.name(), e);
        }
        return tasks;
    }
}
