package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.ChildProcess;
import io.korvet.it.broker.KafkaTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Apache Kafka's own command line tools, each in a process. */
class KafkaToolsIT extends BrokerBehaviour {
    private static final String TOPICS = "org.apache.kafka.tools.TopicCommand";
    private static final String PRODUCER = "org.apache.kafka.tools.ConsoleProducer";
    private static final String CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer";
    private static final String GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand";
    private static final String CONFIGS = "kafka.admin.ConfigCommand";

    private final String topic = name("tools");

    @Test
    void kafkaTopicsCreatesListsDescribesAltersAndDeletes() {
        tool(TOPICS, "--create", "--topic", topic, "--partitions", "2", "--config", "retention.ms=60000");
        assertThat(tool(TOPICS, "--list").lines()).contains(topic);
        assertThat(tool(TOPICS, "--describe", "--topic", topic))
                .contains("PartitionCount: 2", "retention.ms=60000", "Partition: 1")
                .doesNotContain("Leader: none");
        tool(TOPICS, "--alter", "--topic", topic, "--partitions", "4");
        await().atMost(PATIENCE).until(() -> describe(topic).partitions().size() == 4);
        tool(TOPICS, "--delete", "--topic", topic);
        await().atMost(PATIENCE).until(() -> !tool(TOPICS, "--list").contains(topic));
    }

    @Test
    void theConsoleClientsPassLinesOn() throws IOException {
        create(topic, 1, Encoding.usual());
        Path lines =
                Files.write(ChildProcess.workFolder("input").resolve(topic), List.of("k1:one", "k2:two", "k3:three"));
        String[] produce = {
            "--topic", topic, "--reader-property", "parse.key=true", "--reader-property", "key.separator=:"
        };
        toolWithInput(lines, PRODUCER, produce);
        String output = tool(
                CONSUMER,
                "--topic",
                topic,
                "--from-beginning",
                "--max-messages",
                "3",
                "--timeout-ms",
                "20000",
                "--formatter-property",
                "print.key=true");
        assertThat(output.lines()).contains("k1\tone", "k2\ttwo", "k3\tthree");
    }

    @Test
    void kafkaConsumerGroupsDescribesAndResetsOffsets() {
        create(topic, 1, Encoding.usual());
        List<Long> told = produce(topic, numbers(0, 10));
        String group = name("group");
        tool(
                CONSUMER,
                "--topic",
                topic,
                "--from-beginning",
                "--group",
                group,
                "--max-messages",
                "10",
                "--timeout-ms",
                "20000");
        assertThat(tool(GROUPS, "--list").lines()).contains(group);
        assertThat(row(tool(GROUPS, "--describe", "--group", group)))
                .startsWith(group, topic, "0", "" + (told.get(9) + 1), "" + offset(topic, OffsetSpec.latest()), "0");
        assertThat(tool(GROUPS, "--describe", "--group", group, "--state")).contains("Empty");
        tool(GROUPS, "--group", group, "--topic", topic, "--reset-offsets", "--to-earliest", "--execute");
        assertThat(row(tool(GROUPS, "--describe", "--group", group)))
                .contains("" + offset(topic, OffsetSpec.earliest()));
        tool(
                GROUPS,
                "--group",
                group,
                "--topic",
                topic,
                "--reset-offsets",
                "--to-offset",
                "" + told.get(4),
                "--execute");
        assertThat(row(tool(GROUPS, "--describe", "--group", group))).contains("" + told.get(4));
        tool(GROUPS, "--delete", "--group", group);
        assertThat(tool(GROUPS, "--list").lines()).doesNotContain(group);
    }

    private String[] row(String table) {
        return table.lines()
                .filter(line -> line.contains(topic))
                .findFirst()
                .orElseThrow(() -> new AssertionError(table))
                .trim()
                .split("\\s+");
    }

    @Test
    void kafkaConfigsAltersAndDescribes() {
        create(topic, 1, Encoding.usual());
        String[] entity = {"--entity-type", "topics", "--entity-name", topic};
        tool(CONFIGS, plus(entity, "--alter", "--add-config", "retention.ms=123000,max.message.bytes=5000"));
        await().atMost(PATIENCE)
                .until(() -> tool(CONFIGS, plus(entity, "--describe")).contains("retention.ms=123000"));
        tool(CONFIGS, plus(entity, "--alter", "--delete-config", "retention.ms"));
        await().atMost(PATIENCE)
                .until(() -> !tool(CONFIGS, plus(entity, "--describe")).contains("retention.ms=123000"));
        assertThat(tool(CONFIGS, plus(entity, "--describe"))).contains("max.message.bytes=5000");
        assertThat(tool(CONFIGS, "--entity-type", "brokers", "--entity-name", "0", "--describe", "--all"))
                .contains("num.partitions=");
    }

    private static String[] plus(String[] first, String... more) {
        List<String> all = new ArrayList<>(List.of(first));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    @Test
    void kafkaProducerPerfTestWritesWhatItSays() {
        create(topic, 3, Encoding.usual());
        String output = run(
                null,
                "org.apache.kafka.tools.ProducerPerformance",
                "--topic",
                topic,
                "--num-records",
                "20000",
                "--record-size",
                "100",
                "--throughput",
                "-1",
                "--producer-props",
                "bootstrap.servers=" + broker().bootstrap());
        assertThat(output).contains("20000 records sent");
    }

    @Test
    void kafkaGetOffsetsTellsBothEnds() {
        create(topic, 1, Encoding.usual());
        List<Long> told = produce(topic, numbers(0, 5));
        assertThat(tool("org.apache.kafka.tools.GetOffsetShell", "--topic", topic))
                .contains(topic + ":0:" + (told.get(4) + 1));
        assertThat(tool("org.apache.kafka.tools.GetOffsetShell", "--topic", topic, "--time", "earliest"))
                .contains(topic + ":0:" + offset(topic, OffsetSpec.earliest()));
    }

    @Test
    void kafkaBrokerApiVersionsUnderstandsTheBroker() {
        assertThat(tool("org.apache.kafka.tools.BrokerApiVersionsCommand"))
                .contains("Produce(0): 0 to 1", "Fetch(1):", "ApiVersions(18): 0 to", "(id: 0 rack:");
    }

    @Test
    void kafkaDeleteRecordsMovesTheStart() throws IOException {
        create(topic, 1, Encoding.usual());
        List<Long> told = produce(topic, numbers(0, 10));
        Path file = ChildProcess.workFolder("input").resolve(topic + ".json");
        Files.writeString(
                file,
                "{\"version\":1,\"partitions\":[{\"topic\":\"%s\",\"partition\":0,\"offset\":%d}]}"
                        .formatted(topic, told.get(6)));
        assertThat(tool("org.apache.kafka.tools.DeleteRecordsCommand", "--offset-json-file", file.toString()))
                .contains("low_watermark: " + told.get(6));
        assertThat(values(readAll(topic, 4))).isEqualTo(numbers(6, 4));
    }

    private String tool(String name, String... arguments) {
        return toolWithInput(null, name, arguments);
    }

    private String toolWithInput(@Nullable Path input, String name, String... arguments) {
        return run(input, name, plus(new String[] {"--bootstrap-server", broker().bootstrap()}, arguments));
    }

    private static String run(@Nullable Path input, String name, String... arguments) {
        return KafkaTool.run(input, name, List.of(arguments));
    }
}
