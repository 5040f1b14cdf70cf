package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.TestBroker;
import io.korvet.store.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.errors.RetriableException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Consumers of a topic with {@code min.insync.replicas=2} see what Redis' replica has, and nothing that a fail-over takes back. */
@Tag("waits")
class HighWatermarkIT extends BrokerBehaviour {

    private RedisServerProcess master;
    private RedisServerProcess replica;
    private KorvetBroker broker;

    @BeforeEach
    @SuppressWarnings("NullAway.Init")
    void start() {
        assumeThat(BrokerUnderTest.kind()).as("Kafka has no Redis").isEqualTo(TestBroker.Kind.KORVET);
        master = RedisServerProcess.start("--appendonly", "yes");
        replica = replicaOf(master);
        broker = KorvetBroker.with("korvet.redis.uri=" + master.uri(), "korvet.redis.timeout=3s");
        broker.start();
    }

    @AfterEach
    void end() {
        if (broker != null) {
            broker.close();
            replica.close();
            master.close();
        }
    }

    @Override
    TestBroker broker() {
        return broker;
    }

    private static RedisServerProcess replicaOf(RedisServerProcess server) {
        RedisServerProcess started = RedisServerProcess.start(
                "--appendonly", "yes", "--replicaof", "127.0.0.1", Integer.toString(server.port()));
        await().atMost(PATIENCE)
                .until(() -> server.command("INFO", "replication").contains("state=online"));
        return started;
    }

    private void loseReplica() {
        replica.command("REPLICAOF", "NO", "ONE");
        await().atMost(PATIENCE)
                .until(() -> master.command("INFO", "replication").contains("connected_slaves:0"));
    }

    private void regainReplica() {
        replica.command("REPLICAOF", "127.0.0.1", Integer.toString(master.port()));
        await().atMost(PATIENCE)
                .until(() -> master.command("INFO", "replication").contains("state=online"));
    }

    private String topic(Encoding encoding) {
        return topic(1, encoding, "min.insync.replicas", "2");
    }

    private long endOffset(String topic) {
        return Objects.requireNonNull(
                consumer().endOffsets(List.of(partition(topic))).get(partition(topic)));
    }

    private static int entries(RedisServerProcess server, String topic) {
        return Integer.parseInt(
                server.words("XLEN", "korvet:storage:local:{" + topic + ":0}:0").get(0));
    }

    /** Polls until the broker has asked Redis about the end several times. */
    private static List<String> readFor(KafkaConsumer<byte[], byte[]> consumer, Duration time) {
        List<String> read = new ArrayList<>();
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            consumer.poll(Duration.ofMillis(100)).forEach(record -> read.add(text(record.value())));
        }
        return read;
    }

    @ParameterizedTest
    @EnumSource(
            value = Encoding.class,
            names = {"TIME", "DENSE"})
    void aRecordThatAFailOverTakesBackWasSeenByNobodyAndHidesNoOther(Encoding encoding) {
        String topic = topic(encoding);
        produce(topic, numbers(0, 3));
        KafkaConsumer<byte[], byte[]> consumer = reader(topic);
        assertThat(values(read(consumer, 3))).isEqualTo(numbers(0, 3));

        loseReplica();
        KafkaProducer<byte[], byte[]> hasty =
                producer("acks", "all", "delivery.timeout.ms", 3_000, "request.timeout.ms", 2_000, "linger.ms", 0);
        assertThat(failure(hasty.send(record(topic, "taken back")))).isInstanceOf(RetriableException.class);
        produce(topic, List.of("acknowledged by one"), "acks", "1");
        assertThat(entries(master, topic)).isGreaterThan(4);
        assertThat(readFor(consumer, Duration.ofSeconds(4))).isEmpty();
        assertThat(endOffset(topic)).isEqualTo(read(reader(topic), 3).get(2).offset() + 1);

        master.kill();
        replica.takePlaceOf(master);
        master.close();
        master = replica;
        replica = replicaOf(master);
        produce(topic, numbers(3, 10));
        assertThat(values(read(consumer, 10))).isEqualTo(numbers(3, 10));
        assertThat(values(read(reader(topic), 13))).isEqualTo(numbers(0, 13));
    }

    @ParameterizedTest
    @EnumSource(
            value = Encoding.class,
            names = {"TIME", "DENSE"})
    void whatWasWrittenWithoutReplicasIsSeenWhenTheyAreBack(Encoding encoding) {
        String topic = topic(encoding);
        produce(topic, numbers(0, 3));
        loseReplica();
        produce(topic, List.of("later"), "acks", "1");
        KafkaConsumer<byte[], byte[]> consumer = reader(topic);
        assertThat(values(read(consumer, 3))).isEqualTo(numbers(0, 3));
        List<String> early = new ArrayList<>();
        await().atMost(PATIENCE).until(() -> {
            early.addAll(readFor(consumer, Duration.ofMillis(500)));
            return broker.output().contains("consumers wait for records that too few replicas");
        });
        assertThat(early).isEmpty();

        regainReplica();
        assertThat(values(read(consumer, 1))).containsExactly("later");
    }

    @ParameterizedTest
    @EnumSource(
            value = Encoding.class,
            names = {"TIME", "DENSE"})
    void anotherLeaderKnowsWhatIsCopiedEvenIfReplicasAreMissing(Encoding encoding) {
        String topic = topic(encoding);
        produce(topic, numbers(0, 3));
        long end = endOffset(topic);
        String meta = "korvet:storage:local:{" + topic + ":0}:meta";
        await().atMost(PATIENCE).until(() -> {
            readFor(reader(topic), Duration.ofMillis(1_500));
            return master.words("HGET", meta, "copied").equals(List.of(Long.toString(end)));
        });
        loseReplica();
        broker.kill();
        broker.start();
        assertThat(values(read(reader(topic), 3))).isEqualTo(numbers(0, 3));
        assertThat(endOffset(topic)).isEqualTo(end);
    }
}
