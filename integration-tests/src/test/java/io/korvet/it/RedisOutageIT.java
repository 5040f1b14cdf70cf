package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.raw.RawConnection;
import io.korvet.it.raw.Requests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

/** Redis killed and started again under a running broker (append-only file synced at every write). */
class RedisOutageIT extends OwnBrokerBehaviour {
    @Test
    void nothingAcknowledgedIsLostAndAllGoesOnByItself() throws InterruptedException {
        String topic = topic(Encoding.usual());
        KafkaProducer<byte[], byte[]> producer = producer("delivery.timeout.ms", 170_000, "linger.ms", 5);
        AtomicBoolean enough = new AtomicBoolean();
        ConcurrentLinkedQueue<Future<RecordMetadata>> sent = new ConcurrentLinkedQueue<>();
        Thread sender = new Thread(() -> {
            for (int i = 0; !enough.get(); i++) {
                sent.add(producer.send(record(topic, Integer.toString(i))));
                if (i % 100 == 0) {
                    producer.flush();
                }
            }
        });
        sender.start();
        await().atMost(PATIENCE).until(() -> sent.size() > 2_000);

        redis().kill();
        await().atMost(PATIENCE).until(() -> korvet().status("/actuator/health/readiness") == 503);
        assertThat(korvet().status("/actuator/health/liveness")).isEqualTo(200);
        redis().start();
        await().atMost(PATIENCE).until(() -> korvet().status("/actuator/health/readiness") == 200);
        int before = sent.size();
        await().atMost(PATIENCE).until(() -> sent.size() > before + 2_000);
        enough.set(true);
        sender.join(60_000);

        List<Long> told = new ArrayList<>();
        for (Future<RecordMetadata> each : sent) {
            told.add(result(each).offset());
        }
        List<ConsumerRecord<byte[], byte[]>> records = readAll(topic, told.size());
        assertThat(values(records)).isEqualTo(numbers(0, told.size()));
        assertThat(offsets(records)).isEqualTo(told);
    }

    @Test
    void ofTwoTheOneThatIsAwayIsNamedByReadinessAndByTheLogWithTheReason() {
        RedisProcess data = closing(new RedisProcess());
        data.start();
        KorvetBroker broker = closing(KorvetBroker.over(
                redis(), "korvet.namespace=two", "korvet.storage.local.redis.uri=" + data.uri(), "korvet.broker.id=1"));
        broker.start();
        assertShown(broker, "redis", "UP", redis().uri());
        assertShown(broker, "redisData", "UP", data.uri());

        data.kill();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertShown(broker, "redisData", "DOWN", data.uri(), "Connection refused"));
        assertShown(broker, "redis", "UP", redis().uri());
        data.start();
        broker.awaitReady();
        redis().kill();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertShown(broker, "redis", "DOWN", redis().uri(), "Connection refused"));
        assertShown(broker, "redisData", "UP", data.uri());
        redis().start();
        broker.awaitReady();

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(broker.output().lines())
                        .filteredOn(line -> line.contains("Redis is reached again"))
                        .hasSize(2));
        assertThat(broker.output())
                .contains("Redis can't be reached", "server=\"" + address(data), "server=\"" + address(redis()))
                .doesNotContain("ConnectionWatchdog", "\tat ");
    }

    private static String address(RedisProcess redis) {
        return redis.uri().substring("redis://".length());
    }

    /** What readiness says of a component. */
    private static void assertShown(KorvetBroker broker, String component, String... words) {
        assertThat(broker.page("/actuator/health/readiness"))
                .containsPattern("\"" + component + "\":[{][^}]*[}][^}]*[}]")
                .satisfies(body -> {
                    String shown = body.substring(body.indexOf("\"" + component + "\":"));
                    int end = shown.indexOf('}', shown.indexOf('}') + 1);
                    assertThat(shown.substring(0, end)).contains(words);
                });
    }

    @Test
    void aProducersFirstBatchesKeepTheirOrderWhenTheyMeetTheOutage() {
        String warm = topic(Encoding.usual());
        String topic = topic(Encoding.usual());
        KafkaProducer<byte[], byte[]> producer =
                producer("delivery.timeout.ms", 120_000, "batch.size", 200, "retry.backoff.ms", 20);
        send(producer, record(warm, "has an id now"));
        redis().kill();
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (String value : numbers(0, 2_000)) {
            sent.add(producer.send(record(topic, value)));
        }
        await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
        redis().start();
        List<Long> told = new ArrayList<>();
        for (Future<RecordMetadata> each : sent) {
            told.add(result(each).offset());
        }
        List<ConsumerRecord<byte[], byte[]>> records = readAll(topic, told.size());
        assertThat(values(records)).isEqualTo(numbers(0, told.size()));
        assertThat(offsets(records)).isEqualTo(told);
    }

    @Test
    void withoutRedisProduceAndFetchAnswerRetriableErrors() {
        String topic = topic(Encoding.usual());
        Uuid id = topicId(topic);
        long first = produce(topic, List.of("before")).get(0);
        RawConnection connection = connection();
        redis().kill();
        for (int i = 0; i < 3; i++) {
            PartitionProduceResponse answer = Requests.produceAll(
                    connection,
                    topic,
                    MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(1L, bytes("during"))));
            assertThat(Requests.error(answer).exception()).isInstanceOf(RetriableException.class);
            FetchResponseData fetched = connection.exchange(
                    FetchResponseData.class, Requests.fetch(topic, id, first + 1, 100, 1_000), Requests.FETCH_BY_ID);
            Errors error = Errors.forCode(
                    fetched.responses().get(0).partitions().get(0).errorCode());
            assertThat(error == Errors.NONE || error.exception() instanceof RetriableException)
                    .as("fetch answered " + error)
                    .isTrue();
        }
        redis().start();
        await().atMost(PATIENCE).until(() -> korvet().status("/actuator/health/readiness") == 200);
        produce(topic, List.of("after"));
        assertThat(values(read(reader(topic), 2))).contains("before", "after");
        assertThat(korvet().status("/actuator/health")).isEqualTo(200);
        await().atMost(Duration.ofSeconds(5)).until(() -> korvet().status("/actuator/prometheus") == 200);
    }
}
