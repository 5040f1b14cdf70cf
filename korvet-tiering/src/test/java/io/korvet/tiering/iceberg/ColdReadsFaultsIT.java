package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.StreamEntryId;
import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.iceberg.SegmentFiles.Placed;
import io.korvet.tiering.iceberg.SegmentFiles.Shape;
import io.korvet.tiering.iceberg.SegmentModel.Ids;
import io.korvet.tiering.iceberg.SegmentModel.Seen;
import io.korvet.tiering.iceberg.SegmentModel.Sink;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.iceberg.DataFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a reader sees of files that are damaged, gone, rewritten or slow: that range alone, and never a gap. */
class ColdReadsFaultsIT {

    private static final StreamEntryId FIRST = new StreamEntryId(0, 0);
    private static final Duration DEADLINE = Duration.ofSeconds(3);

    @TempDir
    Path directory;

    private ArchiveTable archive;
    private HeldTable table;
    private SegmentFiles files;
    private ColdReads reads;
    private final List<SegmentModel> segments = new ArrayList<>();

    @BeforeEach
    void open() {
        archive = ArchiveTable.open(ArchiveSettings.at("file://" + directory.resolve("archive")));
        table = new HeldTable(archive.table());
        files = new SegmentFiles(archive.table());
        StreamEntryId last = new StreamEntryId(1_700_000_000_000L, 0);
        for (int number = 0; number < 3; number++) {
            SegmentModel segment = SegmentModel.random(new Random(number), number, last, 3_000, Ids.TIME);
            last = segment.last();
            segments.add(segment);
        }
        reads = new ColdReads(
                table.table(), stream -> SegmentModel.STREAM_KEY, new ColdReads.Options(4 << 20, 1, 100, DEADLINE));
    }

    @AfterEach
    void close() {
        table.release();
        reads.close();
        archive.close();
    }

    private DataFile offload(SegmentModel segment) {
        DataFile file = files.write(
                placed(segment), SegmentFiles.notes(segment.number(), SegmentModel.INCARNATION), Shape.SMALL);
        archive.table().newAppend().appendFile(file).commit();
        return file;
    }

    private static List<Placed> placed(SegmentModel segment) {
        return segment.rows().stream()
                .map(row -> new Placed(segment.number(), row))
                .toList();
    }

    private List<Seen> all(ColdSegment segment) throws Exception {
        List<Seen> found = new ArrayList<>();
        StreamEntryId from = FIRST;
        while (true) {
            Sink sink = new Sink();
            int given =
                    reads.read(segment, from, 500, sink).toCompletableFuture().get(30, TimeUnit.SECONDS);
            if (given == 0) {
                return found;
            }
            found.addAll(sink.rows);
            StreamEntryId last = sink.rows.get(given - 1).id();
            from = new StreamEntryId(last.milliseconds(), last.sequence() + 1);
        }
    }

    private ColdTierException failureOf(ColdSegment segment, StreamEntryId from) throws Exception {
        try {
            reads.read(segment, from, 500, new Sink()).toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            return (ColdTierException) Objects.requireNonNull(e.getCause());
        }
        throw new AssertionError("the read did not fail");
    }

    private void isReadWell(SegmentModel segment) throws Exception {
        assertThat(all(segment.segment())).isEqualTo(segment.from(FIRST));
    }

    private static Path pathOf(DataFile file) {
        return Path.of(URI.create(
                file.location().replace("%", "%25").replace("{", "%7B").replace("}", "%7D")));
    }

    @Test
    void aMissingFileIsNamedAndTheOtherSegmentsAreRead() throws Exception {
        offload(segments.get(0));
        DataFile lost = offload(segments.get(1));
        offload(segments.get(2));
        Files.delete(pathOf(lost));

        ColdTierException failure = failureOf(segments.get(1).segment(), FIRST);

        assertThat(failure.kind()).isEqualTo(Kind.CORRUPT);
        assertThat(failure).hasMessageContaining("segment 1 of orders:0").hasMessageContaining(lost.location());
        isReadWell(segments.get(0));
        isReadWell(segments.get(2));
    }

    @Test
    void aTruncatedFileIsNamed() throws Exception {
        DataFile cut = offload(segments.get(0));
        offload(segments.get(1));
        try (RandomAccessFile file = new RandomAccessFile(pathOf(cut).toFile(), "rw")) {
            file.setLength(file.length() / 2);
        }

        ColdTierException failure = failureOf(segments.get(0).segment(), FIRST);

        assertThat(failure.kind()).isEqualTo(Kind.CORRUPT);
        assertThat(failure).hasMessageContaining(cut.location());
        isReadWell(segments.get(1));
    }

    @Test
    void damagedBytesFailTheirOwnRangeOnly() throws Exception {
        DataFile damaged = offload(segments.get(0));
        long middle = damaged.splitOffsets().get(damaged.splitOffsets().size() / 2);
        try (RandomAccessFile file = new RandomAccessFile(pathOf(damaged).toFile(), "rw")) {
            byte[] zeros = new byte[200];
            file.seek(middle + 2_000);
            file.write(zeros);
        }

        SegmentModel model = segments.get(0);
        Sink before = new Sink();
        assertThat(reads.read(model.segment(), FIRST, 100, before)
                        .toCompletableFuture()
                        .get(30, TimeUnit.SECONDS))
                .isPositive();
        assertThat(model.from(FIRST)).startsWith(before.rows.toArray(Seen[]::new));
        Throwable failure = null;
        StreamEntryId from = FIRST;
        int good = 0;
        for (SegmentModel.Row row : model.rows()) {
            if (row.id().compareTo(from) < 0 || failure != null) {
                continue;
            }
            Sink sink = new Sink();
            try {
                good += reads.read(model.segment(), row.id(), 500, sink)
                        .toCompletableFuture()
                        .get(30, TimeUnit.SECONDS);
                from = sink.rows.get(sink.rows.size() - 1).id();
                from = new StreamEntryId(from.milliseconds(), from.sequence() + 1);
            } catch (ExecutionException e) {
                failure = e.getCause();
            }
        }
        assertThat(good).isBetween(100, 2_900);
        assertThat(failure)
                .isInstanceOfSatisfying(
                        ColdTierException.class, told -> assertThat(told.kind()).isEqualTo(Kind.CORRUPT))
                .hasMessageContaining(damaged.location());
        StreamEntryId last = model.last();
        assertThat(reads.read(model.segment(), last, 10, new Sink())
                        .toCompletableFuture()
                        .get(30, TimeUnit.SECONDS))
                .isEqualTo(1);
    }

    @Test
    void rowsThatAreMissingAreSaidAndNotPassedOver() throws Exception {
        SegmentModel whole = segments.get(0);
        SegmentModel part = new SegmentModel(0, new ArrayList<>(whole.rows()));
        part.rows().remove(1_234);
        offload(part);

        ColdTierException failure = failureOf(whole.segment(), FIRST);

        assertThat(failure.kind()).isEqualTo(Kind.CORRUPT);
        assertThat(failure)
                .hasMessageContaining("segment 0 of orders:0 has 2999 rows")
                .hasMessageContaining("expected 3000");
    }

    @Test
    void rowsThatAreTwiceAreSaid() throws Exception {
        offload(segments.get(0));
        offload(segments.get(0));

        assertThat(failureOf(segments.get(0).segment(), FIRST))
                .hasMessageContaining("has 6000 rows")
                .hasMessageContaining("expected 3000");
    }

    @Test
    void aSegmentThatIsNotInTheTableIsSaid() throws Exception {
        offload(segments.get(0));

        ColdTierException failure = failureOf(segments.get(1).segment(), FIRST);

        assertThat(failure.kind()).isEqualTo(Kind.CORRUPT);
        assertThat(failure).hasMessageContaining("segment 1 of orders:0 is not in table");
    }

    @Test
    void rowsOfAnotherIncarnationAreNotOurs() throws Exception {
        SegmentModel other = segments.get(1);
        SegmentModel old = new SegmentModel(0, other.rows());
        DataFile file = files.write(placed(old), SegmentFiles.notes(0, "an earlier incarnation"), Shape.SMALL);
        archive.table().newAppend().appendFile(file).commit();
        offload(segments.get(0));

        isReadWell(segments.get(0));
    }

    @Test
    void aSegmentThatCameAfterTheLastLookIsFound() throws Exception {
        offload(segments.get(0));
        isReadWell(segments.get(0));
        offload(segments.get(1));
        isReadWell(segments.get(1));
    }

    @Test
    void readersGoOnWhileTheirFilesAreReplaced() throws Exception {
        DataFile old = offload(segments.get(0));
        SegmentModel model = segments.get(0);
        Sink first = new Sink();
        int given = reads.read(model.segment(), FIRST, 100, first)
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        DataFile rewritten = files.write(placed(model), Map.of(), Shape.SMALL);
        archive.table().newRewrite().deleteFile(old).addFile(rewritten).commit();
        Files.delete(pathOf(old));

        StreamEntryId last = first.rows.get(given - 1).id();
        assertThat(first.rows).isEqualTo(model.from(FIRST).subList(0, given));
        isReadWell(model);
        assertThat(reads.read(model.segment(), last, 1, new Sink())
                        .toCompletableFuture()
                        .get(30, TimeUnit.SECONDS))
                .isEqualTo(1);
    }

    @Test
    void aStoreThatHangsFailsItsReadersInTimeAndHoldsUpNobodyWhoHasTheDataInMemory() throws Exception {
        offload(segments.get(0));
        DataFile slow = offload(segments.get(1));
        isReadWell(segments.get(0));
        table.hold(slow.location());

        long began = System.nanoTime();
        List<CompletableFuture<Integer>> stuck = new ArrayList<>();
        for (int reader = 0; reader < 20; reader++) {
            stuck.add(
                    reads.read(segments.get(1).segment(), FIRST, 10, new Sink()).toCompletableFuture());
        }
        isReadWell(segments.get(0));
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(DEADLINE);
        for (CompletableFuture<Integer> reader : stuck) {
            assertThat(reader)
                    .failsWithin(DEADLINE.plusSeconds(5))
                    .withThrowableOfType(ExecutionException.class)
                    .withMessageContaining("segment 1 of orders:0: the object store didn't answer within");
        }
        table.release();
        isReadWell(segments.get(1));
    }

    @Test
    void closingEndsReadsThatHang() throws Exception {
        DataFile slow = offload(segments.get(0));
        table.hold(slow.location());
        CompletableFuture<Integer> stuck =
                reads.read(segments.get(0).segment(), FIRST, 10, new Sink()).toCompletableFuture();
        reads.close();
        assertThat(stuck)
                .failsWithin(Duration.ofSeconds(1))
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("closed");
    }
}
