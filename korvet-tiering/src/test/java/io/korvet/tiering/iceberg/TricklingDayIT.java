package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A day of many partitions at a trickle, each with a segment an hour, under maintenance every few minutes: how many
 * snapshots, how large files and how much metadata there are. The clock is the test's; commits, files and maintenance are
 * real. {@code -Dkorvet.tiering.day=full} takes 1,000 partitions with one commit for each segment, as in life; otherwise
 * it is 20.
 */
class TricklingDayIT {

    private static final boolean FULL =
            System.getProperty("korvet.tiering.day", "short").equals("full");
    private static final int PARTITIONS = FULL ? 1_000 : 20;
    private static final int RUNS_AN_HOUR = FULL ? 12 : 3;
    private static final int HOURS = 24;
    private static final int ROWS = 50;

    @TempDir
    Path directory;

    private Instant now = Instant.now();

    /** The table's shape at one time. */
    private record Shape(
            int hour, long snapshots, long files, long medianBytes, long metadataFiles, long metadataBytes) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "hour %2d: %d snapshots, %d data files of %d bytes in the median, %d metadata files of %d bytes",
                    hour,
                    snapshots,
                    files,
                    medianBytes,
                    metadataFiles,
                    metadataBytes);
        }
    }

    @Test
    @Timeout(7_200)
    void snapshotsAndMetadataStayBoundedAndFilesGrow() {
        ArchiveSettings settings = TestSettings.withAges(
                ArchiveSettings.at("file://" + directory), 128L << 20, Duration.ofHours(1), Duration.ofDays(3));
        try (ArchiveTable archive = ArchiveTable.open(settings)) {
            archive.lead(1);
            ArchiveMaintenance maintenance = new ArchiveMaintenance(archive, () -> now);
            Shape shape = shape(archive, 0);
            for (int hour = 0; hour < HOURS; hour++) {
                for (int run = 0; run < RUNS_AN_HOUR; run++) {
                    offload(archive, hour, run);
                    // Files and snapshots are stamped by the machine's clock, which the test's runs ahead of.
                    now = now.plus(Duration.ofHours(1).dividedBy(RUNS_AN_HOUR));
                    maintenance.run();
                }
                shape = shape(archive, hour + 1);
                System.out.println(shape);
            }
            assertThat(shape.snapshots).isLessThanOrEqualTo(2L * PARTITIONS + 50);
            assertThat(shape.files).isLessThan((long) PARTITIONS * HOURS / 2);
            assertThat(rows(archive)).isEqualTo((long) PARTITIONS * HOURS * ROWS);
        }
    }

    private static void offload(ArchiveTable archive, int hour, int run) {
        for (int partition = run; partition < PARTITIONS; partition += RUNS_AN_HOUR) {
            String stream = "korvet:storage:local:{trickle:" + partition + "}";
            DataFile file = ArchiveRows.write(archive, stream, hour, "i", hour * ROWS, ROWS);
            AppendFiles append = ArchiveRows.append(archive, file, stream, hour, "i");
            assertThat(archive.commit(append)).isEqualTo(CommitOutcome.COMMITTED);
        }
    }

    private Shape shape(ArchiveTable archive, int hour) {
        archive.refresh();
        List<Long> sizes = dataFiles(archive).stream()
                .map(DataFile::fileSizeInBytes)
                .sorted()
                .toList();
        List<Path> metadata = metadataFiles();
        return new Shape(
                hour,
                StreamSupport.stream(archive.table().snapshots().spliterator(), false)
                        .count(),
                sizes.size(),
                sizes.isEmpty() ? 0 : sizes.get(sizes.size() / 2),
                metadata.size(),
                metadata.stream().mapToLong(file -> file.toFile().length()).sum());
    }

    private static List<DataFile> dataFiles(ArchiveTable archive) {
        try (CloseableIterable<FileScanTask> tasks = archive.table().newScan().planFiles()) {
            return StreamSupport.stream(tasks.spliterator(), false)
                    .map(FileScanTask::file)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long rows(ArchiveTable archive) {
        return dataFiles(archive).stream().mapToLong(DataFile::recordCount).sum();
    }

    private List<Path> metadataFiles() {
        try (Stream<Path> files = Files.list(directory.resolve("metadata"))) {
            return files.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
