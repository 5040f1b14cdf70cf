package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.archive.Archive;
import io.korvet.it.broker.KafkaTool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.expressions.Expressions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Topics whose old segments live in the archive only, with real clients, Redis and an S3 server. */
@Tag("waits")
class TieringIT extends ObjectStoreBehaviour {

    @Test
    void theExampleOfTheDocumentationRunsWithKafkasOwnToolAndConsumersNoticeNothing() {
        String topic = topic(1, Encoding.usual());
        produce(topic, numbers(0, 100));
        List<ConsumerRecord<byte[], byte[]>> before = readAll(topic, 100);

        alter(topic, "remote.storage.enable=true,retention.ms=31536000000,local.retention.ms=86400000");
        assertThat(kafkaConfigs("--describe", "--entity-name", topic))
                .contains("remote.storage.enable=true", "retention.ms=31536000000", "local.retention.ms=86400000");
        alter(topic, "segment.ms=1000,local.retention.ms=1000");
        awaitDropped(topic, 1);

        assertThat(redis().command("EXISTS " + Archive.streamKey(topic) + ":0")).contains(":0");
        List<ConsumerRecord<byte[], byte[]>> after = readAll(topic, 100);
        assertThat(offsets(after)).isEqualTo(offsets(before));
        assertThat(values(after)).isEqualTo(numbers(0, 100));
        assertThat(after)
                .extracting(ConsumerRecord::timestamp)
                .isEqualTo(before.stream().map(ConsumerRecord::timestamp).toList());
        produce(topic, List.of("one more"));
        assertThat(values(readAll(topic, 101))).endsWith("99", "one more");
    }

    @Test
    void theTableHoldsWhatConsumersSee() {
        String topic = tieredTopic();
        produceSegments(topic, 3, 200);
        awaitDropped(topic, 3);

        List<ConsumerRecord<byte[], byte[]>> consumed = readAll(topic, 600);
        List<Archive.Row> rows = archive().rows(topic);
        assertThat(rows).extracting(Archive.Row::value).isEqualTo(values(consumed));
        assertThat(rows)
                .extracting(Archive.Row::timestamp)
                .isEqualTo(consumed.stream().map(ConsumerRecord::timestamp).toList());
        assertThat(rows)
                .allSatisfy(row -> assertThat(text(row.fields().get("key"))).isEqualTo("key-" + row.value()));
        assertThat(consumed).allSatisfy(record -> {
            assertThat(text(record.key())).isEqualTo("key-" + text(record.value()));
            Header[] headers = record.headers().toArray();
            assertThat(headers).hasSize(1);
            assertThat(text(headers[0].value())).isEqualTo(text(record.value()));
        });
        assertThat(archive().files(Expressions.equal("stream_key", Archive.streamKey(topic))))
                .isNotEmpty()
                .allSatisfy(file -> assertThat(file.location())
                        .startsWith("s3://")
                        .containsPattern("/korvet/data/.*/segment-\\d+-[0-9a-f-]{36}\\.parquet$"));
        assertThat(archive().files(Expressions.equal("stream_key", "somebody else's")))
                .isEmpty();
    }

    @Test
    void bothRetentionsHoldAndTheFilesGo() {
        String topic = tieredTopic("retention.ms", "12000");
        long first = produce(topic, numbers(0, 50)).get(0);
        awaitDropped(topic, 1);
        assertThat(offset(topic, OffsetSpec.earliest())).isLessThanOrEqualTo(first);
        assertThat(archive().rows(topic)).hasSize(50);
        assertThat(offset(topic, OffsetSpec.earliestLocal())).isGreaterThan(first);

        await("what is older than its total retention is gone").atMost(MOVED).untilAsserted(() -> {
            assertThat(offset(topic, OffsetSpec.earliest())).isGreaterThan(first + 49);
            assertThat(archive().rows(topic)).isEmpty();
            assertThat(states(topic, "DROPPED")).isZero();
        });
        produce(topic, List.of("later"));
        assertThat(values(readAll(topic, 1))).containsExactly("later");
    }

    @Test
    void aDeletedTopicLeavesNoRowsAndItsNameCanBeUsedAgain() {
        String topic = tieredTopic();
        produce(topic, numbers(0, 50));
        awaitDropped(topic, 1);
        result(admin().deleteTopics(Set.of(topic)).all());
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
        produce(topic, List.of("new"));

        awaitDropped(topic, 1);
        await("the old rows are gone")
                .atMost(MOVED)
                .untilAsserted(() -> assertThat(archive().rows(topic))
                        .extracting(Archive.Row::value)
                        .containsExactly("new"));
        assertThat(values(readAll(topic, 1))).containsExactly("new");
        result(admin().deleteTopics(Set.of(topic)).all());
        await("no rows are left").atMost(MOVED).untilAsserted(() -> {
            assertThat(archive().rows(topic)).isEmpty();
            assertThat(redis().command("HLEN korvet:storage:remote:removals")).contains(":0");
        });
    }

    @Test
    void killedWhileItArchivesItLosesNothingAndDoublesNothing() {
        String topic = tieredTopic();
        int records = 0;
        for (int round = 0; round < 4; round++) {
            produce(topic, numbers(records, 500));
            records += 500;
            int segments = round;
            await("a segment is on its way or there")
                    .atMost(MOVED)
                    .until(() ->
                            states(topic, "SEALED") + states(topic, "OFFLOADED") + states(topic, "DROPPED") > segments);
            korvet().kill();
            korvet().start();
        }
        awaitDropped(topic, 4);

        assertThat(values(readAll(topic, records))).isEqualTo(numbers(0, records));
        assertThat(archive().rows(topic)).extracting(Archive.Row::value).isEqualTo(numbers(0, records));
        assertThat(archive().files(Expressions.alwaysTrue()))
                .extracting(file -> file.location())
                .doesNotHaveDuplicates();
    }

    @Test
    void compactedTopicsAreRefusedAsByKafka() {
        String topic = tieredTopic();
        assertThat(failure(admin().incrementalAlterConfigs(Map.of(
                                new org.apache.kafka.common.config.ConfigResource(
                                        org.apache.kafka.common.config.ConfigResource.Type.TOPIC, topic),
                                List.of(new org.apache.kafka.clients.admin.AlterConfigOp(
                                        new org.apache.kafka.clients.admin.ConfigEntry("cleanup.policy", "compact"),
                                        org.apache.kafka.clients.admin.AlterConfigOp.OpType.SET))))
                        .all()))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("Remote log storage is unsupported for the compacted topics");
    }

    @Test
    void metricsAndHealthTellOfTheArchive() {
        String topic = tieredTopic();
        produce(topic, numbers(0, 50));
        awaitDropped(topic, 1);
        readAll(topic, 50);

        assertThat(korvet().page("/actuator/health")).contains("remoteStorage", "s3://");
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(korvet().page("/actuator/prometheus"))
                        .contains(
                                "korvet_storage_archive_seconds_count{result=\"committed\"}",
                                "korvet_storage_archive_lag_segments 0.0",
                                "korvet_redis_memory_used_ratio")
                        .containsPattern("korvet_storage_archive_segments_total [1-9]")
                        .containsPattern("korvet_storage_read_seconds_count\\{result=\"ok\",tier=\"remote\"\\} [1-9]"));
    }

    private void alter(String topic, String settings) {
        kafkaConfigs("--entity-name", topic, "--alter", "--add-config", settings);
    }

    private String kafkaConfigs(String... arguments) {
        List<String> all =
                new ArrayList<>(List.of("--bootstrap-server", broker().bootstrap(), "--entity-type", "topics"));
        all.addAll(List.of(arguments));
        return KafkaTool.run(null, "kafka.admin.ConfigCommand", all);
    }
}
