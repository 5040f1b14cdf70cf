package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are gone or cut off stop nothing that doesn't need their rows. */
class BrokenFilesIT {

    private static final String STREAM = "korvet:storage:local:{orders:0}";

    @TempDir
    Path directory;

    private ArchiveTable archive;

    @BeforeEach
    void open() {
        archive = ArchiveTable.open(TestSettings.withAges(
                ArchiveSettings.at("file://" + directory), 1 << 20, Duration.ofHours(1), Duration.ofDays(3)));
        archive.lead(1);
    }

    @AfterEach
    void close() {
        archive.close();
    }

    private void offload(int from, int to) {
        for (int segment = from; segment < to; segment++) {
            assertThat(ArchiveRows.offload(archive, STREAM, segment, segment * 10, 10))
                    .isEqualTo(CommitOutcome.COMMITTED);
        }
    }

    private Path fileOf(int segment) {
        return ArchiveRows.files(archive.table()).stream()
                .filter(file -> file.contains("/segment-" + segment + "-"))
                .map(LocalFiles::path)
                .findFirst()
                .orElseThrow();
    }

    private static void cut(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() / 2);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Set<String> metadata() {
        try (Stream<Path> files = Files.list(directory.resolve("metadata"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.contains("metadata.json") && !name.startsWith("."))
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void filesAreRemovedByTheTablesBoundsWhateverBecameOfThem() throws Exception {
        offload(0, 5);
        Files.delete(fileOf(1));
        cut(fileOf(2));
        new SegmentRemoval(archive).removeThrough(STREAM, "i", 2);
        archive.refresh();
        assertThat(ArchiveRows.read(archive.table())).hasSize(20).allMatch(row -> row.matches(".*/[34]/.*"));
    }

    @Test
    void aLogIsForgottenWithItsBrokenFiles() throws Exception {
        offload(0, 3);
        Files.delete(fileOf(2));
        cut(fileOf(0));
        new SegmentRemoval(archive).removeLog(STREAM, "i");
        archive.refresh();
        assertThat(ArchiveRows.files(archive.table())).isEmpty();
    }

    @Test
    void aBrokenFileOfALaterTopicOfThatNameIsNotTakenForTheDeletedOnes() throws Exception {
        DataFile other = ArchiveRows.write(archive, STREAM, 0, "later", 0, 10);
        archive.commit(ArchiveRows.append(archive, other, STREAM, 0, "later"));
        Files.delete(fileOf(0));
        new SegmentRemoval(archive).removeLog(STREAM, "i");
        archive.refresh();
        assertThat(ArchiveRows.files(archive.table())).hasSize(1);
        new SegmentRemoval(archive).removeLog(STREAM, "later");
        archive.refresh();
        assertThat(ArchiveRows.files(archive.table())).isEmpty();
    }

    @Test
    void theNeighboursOfABrokenFileArePutTogether() throws Exception {
        offload(0, 10);
        Files.delete(fileOf(3));
        cut(fileOf(7));
        Compaction compaction = new Compaction(archive);
        int written = 0;
        for (int run = 0; run < 3; run++) {
            written += compaction
                    .run(Instant.now().toEpochMilli(), Duration.ofMinutes(1))
                    .written();
        }
        assertThat(written).isEqualTo(1);
        archive.refresh();
        assertThat(ArchiveRows.files(archive.table())).hasSize(3);
    }

    @Test
    void commitsToATableThatIsGoneLeaveNothingBehind() throws Exception {
        offload(0, 2);
        Set<String> before = metadata();
        try (Stream<Path> files = Files.list(directory.resolve("metadata"))) {
            files.filter(file -> file.toString().contains("metadata.json") || file.endsWith("version-hint.text"))
                    .forEach(file -> file.toFile().delete());
        }
        for (int attempt = 0; attempt < 3; attempt++) {
            assertThatThrownBy(() -> ArchiveRows.offload(archive, STREAM, 2, 20, 10))
                    .isInstanceOfSatisfying(
                            ColdTierException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                    .hasMessageContaining("is gone");
        }
        before.remove("version-hint.text");
        assertThat(metadata()).isEqualTo(before);
    }
}
