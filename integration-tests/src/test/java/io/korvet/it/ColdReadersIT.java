package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.KorvetBroker.HeapLimit;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.broker.TestBroker;
import io.korvet.it.broker.TestBroker.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers of the cold tier don't keep others from the hot one, nor the broker from its memory. */
class ColdReadersIT extends BrokerBehaviour {

    private static final int READERS = 20;
    private static final int RECORDS = 150_000;
    private static final int VALUE_BYTES = 100;
    private static final int HOT_RECORDS = 200;
    private static final Duration AT_MOST = Duration.ofMinutes(2);
    /** With 20 readers at places of their own, what they have in memory can't be all that they read. */
    private static final String CACHE = "korvet.storage.remote.read-cache-bytes=8388608";

    @TempDir
    static Path directory;

    private final RedisProcess redis = new RedisProcess();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @Nullable
    private KorvetBroker own;

    @BeforeEach
    void startBroker() {
        assumeThat(BrokerUnderTest.kind()).as("Kafka needs a plugin for this").isEqualTo(Kind.KORVET);
        redis.start();
        own = KorvetBroker.over(
                redis,
                new HeapLimit("256m"),
                "korvet.storage.remote.path=file://" + directory.resolve(name("archive")),
                CACHE,
                "korvet.broker.tail-cache-bytes=0");
        own.start();
    }

    @AfterEach
    void endBroker() {
        threads.shutdownNow();
        if (own != null) {
            own.close();
        }
        redis.close();
    }

    @Override
    TestBroker broker() {
        return Objects.requireNonNull(own);
    }

    @Test
    void hotProducersAndConsumersGoOnBesideReadersOfTheArchive() {
        String archived = archivedTopic();
        String hot = topic(1, Encoding.usual());
        KafkaProducer<byte[], byte[]> producer = producer();
        KafkaConsumer<byte[], byte[]> consumer = reader(hot);
        double alone = slowest(producer, consumer, hot);
        AtomicBoolean over = new AtomicBoolean();
        List<Future<Integer>> readers = new ArrayList<>();
        for (int reader = 0; reader < READERS; reader++) {
            KafkaConsumer<byte[], byte[]> cold = reader(archived);
            cold.seek(partition(archived), (long) RECORDS * reader / READERS);
            readers.add(threads.submit(() -> readOn(cold, archived, over)));
        }

        double beside = slowest(producer, consumer, hot);
        over.set(true);

        System.out.printf(
                "p99 of an acknowledgement and of a delivery in all: %.1f ms alone, %.1f ms beside %d cold readers%n",
                alone, beside, READERS);
        // Each went through the archive at least once, in order and without a gap.
        assertThat(readers).allSatisfy(reader -> assertThat(result(reader)).isGreaterThanOrEqualTo(RECORDS));
        assertThat(Objects.requireNonNull(own).page("/actuator/prometheus"))
                .contains("korvet_storage_read_seconds_count{result=\"ok\",tier=\"remote\"}")
                .doesNotContain("korvet_storage_read_seconds_count{result=\"KAFKA_STORAGE_ERROR\"");
    }

    /** A topic of which Redis has nothing any more. */
    private String archivedTopic() {
        String topic = topic(
                1, Encoding.DENSE, "remote.storage.enable", "true", "segment.ms", "1000", "local.retention.ms", "1000");
        KafkaProducer<byte[], byte[]> producer = producer("linger.ms", 20, "batch.size", 200_000);
        byte[] value = new byte[VALUE_BYTES];
        for (int number = 0; number < RECORDS; number++) {
            Arrays.fill(value, (byte) number);
            var unused = producer.send(new ProducerRecord<>(topic, 0, null, value.clone()));
        }
        producer.flush();
        await("all is in the archive and nothing in Redis").atMost(AT_MOST).until(() -> {
            long end = offset(topic, OffsetSpec.latest());
            return end >= RECORDS && offset(topic, OffsetSpec.earliestLocal()) >= end;
        });
        return topic;
    }

    /** Reads to the end and from the start again until it is over, but all of it at least; answers how much that was. */
    private static int readOn(KafkaConsumer<byte[], byte[]> consumer, String topic, AtomicBoolean over) {
        int read = 0;
        long next = consumer.position(partition(topic));
        while (read < RECORDS || !over.get()) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                assertThat(record.offset()).isEqualTo(next);
                assertThat(record.value()).hasSize(VALUE_BYTES).containsOnly((byte) next);
                next++;
                read++;
            }
            if (next == RECORDS) {
                next = 0;
                consumer.seek(partition(topic), 0);
            }
        }
        return read;
    }

    /** Sends records one after another, each when the one before was read; answers the 99th percentile in ms. */
    private static double slowest(
            KafkaProducer<byte[], byte[]> producer, KafkaConsumer<byte[], byte[]> consumer, String topic) {
        long[] took = new long[HOT_RECORDS];
        for (int number = 0; number < HOT_RECORDS; number++) {
            long begin = System.nanoTime();
            send(producer, record(topic, Integer.toString(number)));
            assertThat(values(read(consumer, 1))).containsExactly(Integer.toString(number));
            took[number] = System.nanoTime() - begin;
        }
        Arrays.sort(took);
        return took[HOT_RECORDS * 99 / 100 - 1] / 1e6;
    }
}
