package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.archive.Archive;
import io.korvet.it.archive.JdbcEngine;
import io.korvet.it.archive.Recipes;
import io.korvet.it.archive.Spark;
import io.korvet.it.archive.Trino;
import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.ChildProcess;
import io.korvet.it.broker.Folders;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.broker.TestBroker.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.duckdb.DuckDBDriver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * What other engines count in the archive is what a Kafka consumer got, by the queries of docs/query-the-archive.md. DuckDB
 * always; Spark and Trino when {@code integration-tests/engines/run} has brought them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class ArchiveQueriesIT extends TieredBehaviour {
    private static final int SEGMENTS = 3;
    private static final int EACH = 200;
    private static final Expression ORDERS = Expressions.equal("stream_key", Archive.streamKey("orders"));

    private final Recipes recipes = Recipes.onThePage();
    private final Path warehouse = ChildProcess.workFolder(name("lake"));
    private final Path folder = warehouse.resolve("archive");

    @Nullable
    private RedisProcess redis;

    @Nullable
    private KorvetBroker own;

    private List<ConsumerRecord<byte[], byte[]>> orders = List.of();
    private List<ConsumerRecord<byte[], byte[]>> bills = List.of();

    @BeforeAll
    void fillTheArchive() throws Exception {
        assumeThat(BrokerUnderTest.kind()).as("Kafka needs a plugin for this").isEqualTo(Kind.KORVET);
        RedisProcess store = new RedisProcess();
        redis = store;
        store.start();
        List<String> settings = new ArrayList<>(storage());
        settings.add("korvet.broker.tail-cache-bytes=0");
        KorvetBroker broker = KorvetBroker.over(store, settings.toArray(String[]::new));
        own = broker;
        broker.start();
        createTiered("orders");
        createTiered("bills");
        produceSegments("orders", SEGMENTS, EACH);
        produceSegments("bills", 1, EACH);
        awaitDropped("orders", SEGMENTS);
        awaitDropped("bills", 1);
        orders = readAll("orders", SEGMENTS * EACH);
        bills = readAll("bills", EACH);
        closeClients();
    }

    @AfterAll
    void endBroker() {
        if (own != null) {
            own.close();
        }
        if (redis != null) {
            redis.close();
        }
        Folders.delete(warehouse);
    }

    /** What the broker is told of its archive. */
    List<String> storage() {
        return List.of("korvet.storage.remote.path=file://" + folder);
    }

    /** What Spark answers to queries on the page. */
    List<Spark.Result> spark(List<String> queries) {
        return Spark.run(Spark.inFolder(warehouse), queries);
    }

    /** A Trino that reaches the archive. */
    Trino trino() {
        return new Trino(List.of());
    }

    /** The archive's address for Trino. */
    String location() {
        return "file://" + folder;
    }

    final Recipes recipes() {
        return recipes;
    }

    @Override
    KorvetBroker korvet() {
        return Objects.requireNonNull(own);
    }

    @Override
    RedisProcess redis() {
        return Objects.requireNonNull(redis);
    }

    @Override
    Archive archive() {
        return Archive.in(folder);
    }

    @Test
    void everyRecipeOnThePageIsRunHere() {
        assertThat(recipes.size()).isEqualTo(12);
    }

    @Test
    void duckDbCountsWhatConsumersSaw() throws Exception {
        try (JdbcEngine duckDb = JdbcEngine.connect(new DuckDBDriver(), "jdbc:duckdb:", new Properties())) {
            duckDb.rows(archive().paths(Expressions.alwaysTrue()).stream()
                    .map(path -> "'" + path + "'")
                    .collect(Collectors.joining(", ", "SET VARIABLE files = [", "]")));
            assertThat(duckDb.rows(recipes.query("duckdb", "counts"))).isEqualTo(counts());
            assertThat(duckDb.rows(recipes.query("duckdb", "sum"))).isEqualTo(sum());
            assertThat(duckDb.rows(recipes.query("duckdb", "last"))).isEqualTo(last());
        }
    }

    @Test
    void duckDbFindsTheBoundsByWhichRowGroupsAreSkipped() throws Exception {
        String file = archive().paths(ORDERS).get(0).toString();
        try (JdbcEngine duckDb = JdbcEngine.connect(new DuckDBDriver(), "jdbc:duckdb:", new Properties())) {
            for (String column : List.of("segment_id", "message_id", "ts")) {
                assertThat(duckDb.rows("SELECT stats_min_value, stats_max_value FROM parquet_metadata('" + file
                                + "') WHERE path_in_schema = '" + column + "'"))
                        .as(column)
                        .isNotEmpty()
                        .allSatisfy(bounds -> assertThat(bounds).doesNotContain("null"));
            }
        }
    }

    @Test
    void plansLeaveOutFilesOfOtherPartitionsAndTimes() {
        int all = archive().files(Expressions.alwaysTrue()).size();
        int ofOrders = archive().files(ORDERS).size();
        long latest = orders.get(orders.size() - 1).timestamp();
        assertThat(ofOrders).isLessThan(all);
        assertThat(archive().files(Expressions.and(ORDERS, Expressions.greaterThan("ts", latest))))
                .isEmpty();
        assertThat(archive().files(Expressions.and(ORDERS, Expressions.equal("segment_id", 0L))))
                .hasSizeBetween(1, ofOrders);
    }

    @Test
    void sparkCountsWhatConsumersSaw() {
        assumeThat(Spark.isWanted())
                .as("integration-tests/engines/run brings Spark")
                .isTrue();
        List<Spark.Result> results = spark(List.of(
                recipes.query("spark", "counts"),
                recipes.query("spark", "sum"),
                recipes.query("spark", "last"),
                recipes.query("spark", "commits")));
        assertThat(results).hasSize(4);
        assertThat(results.get(0).rows()).isEqualTo(counts());
        assertThat(results.get(1).rows()).isEqualTo(sum());
        assertThat(results.get(1).readFiles()).isPositive();
        assertThat(results.get(1).readFiles())
                .as("files read of partition orders, of " + results.get(0).readFiles())
                .isLessThan(results.get(0).readFiles());
        assertThat(results.get(2).rows()).isEqualTo(last());
        assertThat(results.get(3).rows())
                .hasSize(SEGMENTS + 1)
                .allSatisfy(row -> assertThat(row.get(1)).isEqualTo("" + EACH));
    }

    @Test
    void trinoCountsWhatConsumersSaw() throws Exception {
        assumeThat(Trino.isWanted())
                .as("integration-tests/engines/run brings Trino")
                .isTrue();
        try (Trino trino = trino();
                JdbcEngine connection = trino.connect()) {
            connection.rows("CREATE SCHEMA archive.korvet");
            connection.rows(recipes.query("trino", "register").replace("file://" + Recipes.FOLDER, location()));
            // A server that has started gets to know its own node somewhat later.
            await("Trino has a node that reads")
                    .atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(connection.rows("SELECT count(*) FROM archive.korvet.segments"))
                            .isNotEmpty());
            assertThat(connection.rows(recipes.query("trino", "counts"))).isEqualTo(counts());
            assertThat(connection.rows(recipes.query("trino", "sum"))).isEqualTo(sum());
            assertThat(connection.rows(recipes.query("trino", "last"))).isEqualTo(last());
            assertThat(connection
                            .rows("EXPLAIN ANALYZE " + recipes.query("trino", "sum"))
                            .toString())
                    .contains("constraint on [stream_key]", "Input: " + orders.size() + " rows");
        }
    }

    private void createTiered(String topic) {
        create(
                topic,
                1,
                Encoding.usual(),
                "remote.storage.enable",
                "true",
                "segment.ms",
                "1000",
                "local.retention.ms",
                "1000");
    }

    private List<List<String>> counts() {
        List<List<String>> rows = new ArrayList<>();
        for (List<ConsumerRecord<byte[], byte[]>> records : List.of(bills, orders)) {
            rows.add(List.of(
                    Archive.streamKey(records.get(0).topic()),
                    "" + records.size(),
                    ""
                            + records.stream()
                                    .mapToLong(ConsumerRecord::timestamp)
                                    .min()
                                    .orElseThrow(),
                    ""
                            + records.stream()
                                    .mapToLong(ConsumerRecord::timestamp)
                                    .max()
                                    .orElseThrow()));
        }
        return rows;
    }

    private List<List<String>> sum() {
        return List.of(
                List.of("" + values(orders).stream().mapToLong(Long::parseLong).sum()));
    }

    private List<List<String>> last() {
        List<List<String>> rows = new ArrayList<>();
        for (int index = orders.size() - 1; index >= orders.size() - 3; index--) {
            ConsumerRecord<byte[], byte[]> record = orders.get(index);
            String id = (record.offset() >> 10) + "-" + (record.offset() & 1023);
            rows.add(List.of(id, text(record.key()), text(record.value())));
        }
        return rows;
    }
}
