package io.korvet.it;

import static io.korvet.it.raw.Requests.error;
import static io.korvet.it.raw.Requests.produceAll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.TestBroker;
import io.korvet.it.raw.RawConnection;
import io.korvet.it.raw.Requests;
import io.korvet.store.redis.RedisServerProcess;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Batches of an idempotent producer that Redis took back, repeated while several requests are under way. */
@Tag("waits")
class RepeatedBatchesIT extends BrokerBehaviour {
    private RedisServerProcess master;
    private RedisServerProcess replica;
    private KorvetBroker own;

    @BeforeEach
    void start() {
        assumeThat(BrokerUnderTest.kind()).as("Kafka has no Redis").isEqualTo(TestBroker.Kind.KORVET);
        master = closing(RedisServerProcess.start());
        replica = closing(RedisServerProcess.start("--replicaof", "127.0.0.1", Integer.toString(master.port())));
        awaitReplica();
        own = closing(KorvetBroker.with("korvet.redis.uri=" + master.uri()));
        own.start();
    }

    private void awaitReplica() {
        await().atMost(PATIENCE)
                .until(() -> master.command("INFO", "replication").contains("state=online"));
    }

    @Override
    TestBroker broker() {
        return own;
    }

    @Test
    void areAppendedAgainInOrderAndTheProducerIsNeverToldThatItIsWrong() {
        String topic = topic(1, Encoding.usual(), "min.insync.replicas", "2");
        RawConnection connection = connection();
        InitProducerIdResponseData writer = connection.exchange(
                InitProducerIdResponseData.class,
                new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(60_000),
                4);
        assertThat(error(produceAll(connection, topic, batch(writer, 0, "copied"))))
                .isEqualTo(Errors.NONE);

        replica.command("REPLICAOF", "NO", "ONE");
        List<MemoryRecords> uncopied = List.of(batch(writer, 1, "a", "b"), batch(writer, 3, "c"));
        assertThat(produceTogether(connection, topic, uncopied))
                .containsExactly(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND, Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);

        master.command("REPLICAOF", "127.0.0.1", Integer.toString(replica.port()));
        await().atMost(PATIENCE)
                .until(() -> master.command("INFO", "replication").contains("master_link_status:up"));
        master.command("REPLICAOF", "NO", "ONE");
        replica.command("REPLICAOF", "127.0.0.1", Integer.toString(master.port()));
        awaitReplica();

        await().atMost(PATIENCE).until(() -> {
            // The second comes when the first has its answer, as if it had been on its way then.
            List<Errors> told = uncopied.stream()
                    .map(batch -> error(produceAll(connection, topic, batch)))
                    .toList();
            assertThat(told)
                    .isSubsetOf(
                            Errors.NONE,
                            Errors.NOT_ENOUGH_REPLICAS,
                            Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
                            Errors.KAFKA_STORAGE_ERROR);
            return told.stream().allMatch(error -> error == Errors.NONE);
        });
        assertThat(error(produceAll(connection, topic, batch(writer, 4, "d")))).isEqualTo(Errors.NONE);
        assertThat(values(readAll(topic, 5))).containsExactly("copied", "a", "b", "c", "d");
    }

    private static List<Errors> produceTogether(RawConnection connection, String topic, List<MemoryRecords> batches) {
        return connection
                .exchangeAll(
                        ProduceResponseData.class,
                        batches.stream()
                                .map(batch -> Requests.produce(topic, -1, batch))
                                .toList(),
                        Requests.PRODUCE)
                .stream()
                .map(answer -> error(answer.responses()
                        .iterator()
                        .next()
                        .partitionResponses()
                        .get(0)))
                .toList();
    }

    private static MemoryRecords batch(InitProducerIdResponseData writer, int sequence, String... values) {
        return MemoryRecords.withIdempotentRecords(
                Compression.NONE,
                writer.producerId(),
                writer.producerEpoch(),
                sequence,
                Stream.of(values)
                        .map(value -> new SimpleRecord(Instant.now().toEpochMilli(), null, bytes(value)))
                        .toArray(SimpleRecord[]::new));
    }
}
