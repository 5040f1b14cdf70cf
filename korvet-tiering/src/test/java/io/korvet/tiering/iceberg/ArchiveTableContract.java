package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an open table promises, wherever it lies. */
abstract class ArchiveTableContract {

    static final String STREAM = "korvet:storage:local:{orders:0}";

    private final List<ArchiveTable> opened = new ArrayList<>();

    /** Settings of a place that this test has for itself. */
    abstract ArchiveSettings settings();

    /** The table without any class of Korvet's. */
    abstract Table standardTable();

    final ArchiveTable open() {
        ArchiveTable archive = ArchiveTable.open(settings());
        opened.add(archive);
        return archive;
    }

    @AfterEach
    void closeAll() {
        opened.forEach(ArchiveTable::close);
    }

    @Test
    void aNewTableIsTheSeeds() {
        Table table = open().table();
        assertThat(table.schema().asStruct())
                .hasToString(
                        "struct<1: stream_key: required string, 2: segment_id: required long, 3: message_id: required string, "
                                + "4: ts: required long, 5: fields: required map<string, binary>>");
        assertThat(table.spec().fields()).singleElement().satisfies(field -> {
            assertThat(field.name()).isEqualTo("stream_key");
            assertThat(field.transform().isIdentity()).isTrue();
        });
        assertThat(table.sortOrder().toString()).contains("identity(4) ASC");
        assertThat(table.currentSnapshot()).isNull();
    }

    @Test
    void aFileIsNamedAfterItsSegmentAndLiesBelowData() {
        String location = open().newDataFile(STREAM, 17).location();
        assertThat(location).matches(".*/data/stream_key=[^/]+/segment-17-[0-9a-f-]{36}\\.parquet");
    }

    @Test
    void whatOneCommitsAnotherSees() {
        ArchiveTable writer = open();
        ArchiveTable reader = open();
        assertThat(ArchiveRows.offload(writer, STREAM, 0, 0, 3)).isEqualTo(CommitOutcome.COMMITTED);
        assertThat(ArchiveRows.read(reader.table())).isEmpty();
        reader.refresh();
        assertThat(ArchiveRows.read(reader.table()))
                .containsExactly(STREAM + "/0/0-0", STREAM + "/0/1-0", STREAM + "/0/2-0");
    }

    @Test
    void aReaderWithoutKorvetOpensIt() {
        ArchiveTable writer = open();
        ArchiveRows.offload(writer, STREAM, 0, 0, 3);
        ArchiveRows.offload(writer, STREAM, 1, 3, 2);
        assertThat(ArchiveRows.read(standardTable())).hasSize(5).contains(STREAM + "/1/4-0");
    }

    @Test
    void partitionAndBoundsLetAReaderSkipFiles() throws Exception {
        ArchiveTable writer = open();
        ArchiveRows.offload(writer, STREAM, 0, 0, 3);
        ArchiveRows.offload(writer, STREAM, 1, 3, 2);
        ArchiveRows.offload(writer, "korvet:storage:local:{orders:1}", 0, 3, 2);
        try (CloseableIterable<FileScanTask> tasks = writer.table()
                .newScan()
                .filter(Expressions.and(
                        Expressions.equal("stream_key", STREAM), Expressions.greaterThanOrEqual("ts", 3L)))
                .planFiles()) {
            assertThat(tasks).hasSize(1);
        }
    }

    @Test
    void processesThatCreateItAtOnceGetTheSameTable() throws Exception {
        List<Callable<ArchiveTable>> openings = List.of(this::openUnlisted, this::openUnlisted, this::openUnlisted);
        ExecutorService threads = Executors.newFixedThreadPool(openings.size());
        try {
            List<ArchiveTable> tables = new ArrayList<>();
            for (Future<ArchiveTable> table : threads.invokeAll(openings)) {
                tables.add(table.get());
            }
            opened.addAll(tables);
            assertThat(tables.stream().map(table -> table.table().uuid()).distinct())
                    .hasSize(1);
        } finally {
            threads.shutdownNow();
        }
    }

    private ArchiveTable openUnlisted() {
        return ArchiveTable.open(settings());
    }

    @Test
    void noCommitOfManyIsLost() throws Exception {
        List<ArchiveTable> handles = List.of(open(), open());
        int threads = 4;
        int each = 5;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<Integer>> writers = IntStream.range(0, threads)
                    .<Callable<Integer>>mapToObj(thread -> () -> {
                        int committed = 0;
                        for (int segment = 0; segment < each; segment++) {
                            CommitOutcome outcome = ArchiveRows.offload(
                                    handles.get(thread % 2), STREAM + thread, segment, segment * 10, 10);
                            committed += outcome == CommitOutcome.COMMITTED ? 1 : 0;
                        }
                        return committed;
                    })
                    .toList();
            for (Future<Integer> writer : pool.invokeAll(writers)) {
                assertThat(writer.get()).isEqualTo(each);
            }
        } finally {
            pool.shutdownNow();
        }
        Table table = open().table();
        assertThat(ArchiveRows.read(table)).hasSize(threads * each * 10).doesNotHaveDuplicates();
        assertThat(StreamSupport.stream(table.snapshots().spliterator(), false)).hasSize(threads * each);
    }

    @Test
    void anOvertakenLeaderCommitsNothing() {
        ArchiveTable older = open();
        ArchiveTable newer = open();
        older.lead(1);
        ArchiveRows.offload(older, STREAM, 0, 0, 1);
        AppendFiles prepared =
                ArchiveRows.append(older, ArchiveRows.write(older, STREAM, 1, "i", 1, 1), STREAM, 1, "i");
        newer.lead(2);
        assertThatThrownBy(() -> older.commit(prepared)).satisfies(ArchiveTableContract::isFenced);
        assertThatThrownBy(() -> ArchiveRows.offload(older, STREAM, 2, 2, 1)).satisfies(ArchiveTableContract::isFenced);
        assertThatThrownBy(() -> older.lead(1)).satisfies(ArchiveTableContract::isFenced);
        assertThatThrownBy(() -> ArchiveRows.offload(open(), STREAM, 3, 3, 1))
                .satisfies(ArchiveTableContract::isFenced);
        assertThat(ArchiveRows.offload(newer, STREAM, 4, 4, 1)).isEqualTo(CommitOutcome.COMMITTED);
        assertThat(ArchiveRows.read(newer.table())).containsExactlyInAnyOrder(STREAM + "/0/0-0", STREAM + "/4/4-0");
    }

    private static void isFenced(Throwable failure) {
        assertThat(failure).isInstanceOfSatisfying(ColdTierException.class, cold -> {
            assertThat(cold.kind()).isEqualTo(Kind.FENCED);
            assertThat(cold).hasMessageContaining("epoch 2");
        });
    }

    @Test
    void aLeaderIsOvertakenInTheMiddleOfItsRetries() {
        ArchiveTable older = open();
        ArchiveTable newer = open();
        older.lead(1);
        AppendFiles prepared =
                ArchiveRows.append(older, ArchiveRows.write(older, STREAM, 1, "i", 1, 1), STREAM, 1, "i");
        // Iceberg calls this for each attempt, after it has read the table and before it commits.
        prepared.scanManifestsWith(new OvertakingExecutor(() -> newer.lead(2)));
        assertThatThrownBy(() -> older.commit(prepared)).satisfies(ArchiveTableContract::isFenced);
        newer.refresh();
        assertThat(ArchiveRows.read(newer.table())).isEmpty();
    }
}
