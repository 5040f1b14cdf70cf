package io.korvet.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BrokerMetersTest {

    private final BrokerMeters meters = new BrokerMeters();

    @AfterEach
    void close() {
        meters.close();
    }

    @Test
    void everyMeterIsDocumented() throws IOException {
        everythingHappensOnce();
        String page = Files.readString(Path.of("../docs/metrics.md"));

        TreeSet<String> names = meters.registry().getMeters().stream()
                .map(Meter::getId)
                .map(Meter.Id::getName)
                .filter(name -> name.startsWith("korvet."))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(names)
                .hasSizeGreaterThan(15)
                .allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
        assertThat(page.lines()
                        .filter(line -> line.startsWith("| `korvet."))
                        .map(line -> line.substring(3, line.indexOf('`', 3))))
                .containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void metersOfTheArchiveSayWhatTheyAre() {
        everythingHappensOnce();

        assertThat(meters.scrape().lines().filter(line -> line.startsWith("# HELP korvet_storage_archive")))
                .hasSizeGreaterThanOrEqualTo(9)
                .allSatisfy(line -> assertThat(line).matches("# HELP \\S+ \\w.*"));
    }

    @Test
    void whatPrometheusSeesHasItsNames() {
        everythingHappensOnce();

        assertThat(meters.scrape())
                .contains("korvet_broker_up 1.0")
                .contains("korvet_broker_pending_bytes 17.0")
                .contains("korvet_broker_backpressure_transitions_total{action=\"pause\"} 1.0")
                .contains("korvet_broker_produce_seconds_count{topic=\"orders\"} 1")
                .contains("korvet_broker_produce_records_total{topic=\"orders\"} 5.0")
                .contains("korvet_broker_max_offset{partition=\"0\",topic=\"orders\"} 9.0")
                .contains("korvet_group_lag_records{group=\"g\",partition=\"0\",topic=\"orders\"} 3.0")
                .contains("korvet_storage_read_seconds_count{result=\"ok\",tier=\"local\"} 1");
    }

    @Test
    void aRemovedTopicHasNoMetersAnyMore() {
        meters.topic("orders").produced(1, 1);
        meters.topic("orders").lossy("fetch", 1);
        meters.topicRemoved("orders");

        assertThat(meters.scrape()).doesNotContain("orders");
    }

    @Test
    void partitionsThatAreGoneLeaveTheGauges() {
        meters.partitionOffsets(() -> List.of(new PartitionOffsets("a", 0, 0, 1)));
        assertThat(meters.scrape()).contains("korvet_broker_max_offset{partition=\"0\",topic=\"a\"}");
        meters.partitionOffsets(List::of);
        assertThat(meters.scrape()).doesNotContain("topic=\"a\"");
    }

    @Test
    void noMoreSeriesThanTheCap() {
        List<GroupLag> rows = IntStream.range(0, PartitionGauges.MOST_SERIES + 5)
                .mapToObj(partition -> new GroupLag("g", "t", partition, 1))
                .toList();
        meters.groupLag(() -> rows);

        assertThat(meters.scrape().lines().filter(line -> line.startsWith("korvet_group_lag_records{")))
                .hasSize(PartitionGauges.MOST_SERIES);
    }

    private void everythingHappensOnce() {
        meters.liveBrokers(() -> 3);
        meters.declaredDead("connection");
        meters.foundDeclaredDead();
        meters.up(() -> 1);
        meters.connections(() -> 2);
        meters.pendingBytes(() -> 17);
        meters.pressedConnections(() -> 0);
        meters.workerUp(() -> 1);
        meters.partitionOffsets(() -> List.of(new PartitionOffsets("orders", 0, 0, 9)));
        meters.groupLag(() -> List.of(new GroupLag("g", "orders", 0, 3)));
        meters.pressed();
        meters.released();
        meters.requestFinished("Produce", "ok", 1000);
        meters.requestBytes("Produce", 100);
        meters.responseBytes("Produce", 100);
        meters.failed("append", "UNAVAILABLE");
        meters.topic("orders").produced(5, 1000);
        meters.topic("orders").fetched(5, 1000);
        meters.topic("orders").lossy("fetch", 1);
        meters.rebalance("completed");
        meters.groupImage("saved");
        meters.storageRead("local", "ok", 1000);
        meters.storageWritten("local", "ok", 1000);
        meters.workerWalked(1000);
        meters.workerFailed("roll");
        meters.redisMemory(() -> 0.5);
        meters.archive().waiting(() -> 1);
        meters.archive().oldestWaiting(() -> 60);
        meters.archive().archived(100);
        meters.archive().attempted("committed", 1000);
        meters.archive().step("read", 1000);
        meters.archive().worked("encode", 1000);
        meters.archive().held(1 << 20);
        meters.archive().failed("unavailable");
        meters.scrape();
    }
}
