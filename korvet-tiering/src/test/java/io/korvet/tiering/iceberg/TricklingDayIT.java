package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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
 * snapshots, how large files and how much metadata there are. Commits, files and maintenance are real, the hours are the
 * test's. {@code -Dkorvet.tiering.day=full} takes 1,000 partitions with one commit for each segment, as in life, a number
 * so many; otherwise it is 20.
 */
class TricklingDayIT {

    private static final String DAY = System.getProperty("korvet.tiering.day", "short");
    private static final int PARTITIONS = switch (DAY) {
        case "full" -> 1_000;
        case "short" -> 20;
        default -> Integer.parseInt(DAY);
    };
    private static final int RUNS_AN_HOUR = DAY.equals("short") ? 3 : 12;
    /** For how many runs versions of the metadata are younger than the ten minutes for which they stay. */
    private static final int RUNS_OF_YOUNG_VERSIONS = Math.max(1, RUNS_AN_HOUR / 6);

    private static final int HOURS = 24;
    private static final int ROWS = 50;

    @TempDir
    Path directory;

    /** The machine's time, and the version of the table's metadata, when the hour's runs so far began. */
    private record Mark(Instant time, int version) {}

    private final List<Mark> marks = new ArrayList<>();
    private final Set<Path> metadataSeen = new HashSet<>();
    private long metadataWritten;
    private Instant now = Instant.now();

    /** The table's shape at one time, and the bytes of metadata that were written until then. */
    private record Shape(
            int hour,
            long snapshots,
            long files,
            long medianBytes,
            long versions,
            long newestVersionBytes,
            long metadataFiles,
            long metadataBytes,
            long metadataWritten) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "hour %2d: %d snapshots, %d data files of %d bytes in the median, %d versions of the metadata with %d "
                            + "bytes in the newest, %d files and %d bytes of metadata in all, %d bytes of it written",
                    hour,
                    snapshots,
                    files,
                    medianBytes,
                    versions,
                    newestVersionBytes,
                    metadataFiles,
                    metadataBytes,
                    metadataWritten);
        }
    }

    @Test
    @Timeout(7_200)
    void snapshotsAndMetadataStayBoundedAndFilesGrow() throws IOException {
        ArchiveSettings settings = TestSettings.withAges(
                ArchiveSettings.at("file://" + directory), 128L << 20, Duration.ofHours(1), Duration.ofDays(3));
        try (ArchiveTable archive = ArchiveTable.open(settings)) {
            archive.lead(1);
            ArchiveMaintenance maintenance = new ArchiveMaintenance(archive, () -> now);
            Shape shape = shape(archive, 0);
            for (int hour = 0; hour < HOURS; hour++) {
                for (int run = 0; run < RUNS_AN_HOUR; run++) {
                    marks.add(new Mark(Instant.now(), newestVersion(archive)));
                    offload(archive, hour, run);
                    makeTimePass();
                    maintenance.run();
                    countMetadata();
                }
                shape = shape(archive, hour + 1);
                System.out.println(shape);
                assertThat(shape.snapshots).isBetween((long) PARTITIONS, 2L * PARTITIONS + 50);
                assertThat(shape.versions)
                        .isLessThan(ArchiveMaintenance.FEWEST_VERSIONS
                                + (1L + RUNS_OF_YOUNG_VERSIONS) * (PARTITIONS / RUNS_AN_HOUR + 10));
            }
            assertThat(shape.files).isLessThan((long) PARTITIONS * HOURS / 2);
            assertThat(rows(archive)).isEqualTo((long) PARTITIONS * HOURS * ROWS);
        }
    }

    /**
     * Snapshots are stamped by the machine's clock: the time that maintenance is told makes those of the test's last hour,
     * and no others, younger than an hour. Files get their times by that.
     */
    private void makeTimePass() throws IOException {
        now = before(RUNS_AN_HOUR).time.plus(Duration.ofHours(1));
        int young = before(RUNS_OF_YOUNG_VERSIONS).version;
        for (Path file : countMetadata()) {
            int version = PathTableOperations.versionOf(file.getFileName().toString());
            if (version > 0) {
                Files.setLastModifiedTime(
                        file, FileTime.from(version > young ? now : now.minus(Duration.ofMinutes(30))));
            }
        }
    }

    /** When the first of the newest so many runs began. */
    private Mark before(int runs) {
        return marks.get(Math.max(0, marks.size() - runs));
    }

    private static int newestVersion(ArchiveTable archive) {
        String location = archive.metadata().metadataFileLocation();
        return PathTableOperations.versionOf(location.substring(location.lastIndexOf('/') + 1));
    }

    /** The files of the metadata; adds what is new in them. */
    private List<Path> countMetadata() {
        List<Path> files = metadataFiles();
        for (Path file : files) {
            if (metadataSeen.add(file)) {
                metadataWritten += file.toFile().length();
            }
        }
        return files;
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
        List<Path> metadata = countMetadata();
        return new Shape(
                hour,
                StreamSupport.stream(archive.table().snapshots().spliterator(), false)
                        .count(),
                sizes.size(),
                sizes.isEmpty() ? 0 : sizes.get(sizes.size() / 2),
                metadata.stream()
                        .filter(file ->
                                PathTableOperations.versionOf(file.getFileName().toString()) > 0)
                        .count(),
                LocalFiles.path(archive.metadata().metadataFileLocation())
                        .toFile()
                        .length(),
                metadata.size(),
                metadata.stream().mapToLong(file -> file.toFile().length()).sum(),
                metadataWritten);
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
