package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.Timeout;

/**
 * A broker killed with SIGKILL again and again under an idempotent producer. Short by default; with
 * {@code -Dkorvet.it.durability=long} a million records and twenty kills.
 */
@Timeout(1_800)
class DurabilityIT extends OwnBrokerBehaviour {
    private static final boolean LONG = "long".equals(System.getProperty("korvet.it.durability"));
    private static final int RECORDS = LONG ? 1_000_000 : 50_000;
    private static final int KILLS = LONG ? 20 : 3;

    @Encoding.InEach
    void everyAcknowledgedRecordIsThereOnceInOrderAtItsOffset(Encoding encoding) {
        String topic = topic(encoding);
        AtomicLongArray told = new AtomicLongArray(RECORDS);
        AtomicInteger acknowledged = new AtomicInteger();
        List<Exception> failures = new ArrayList<>();
        KafkaProducer<byte[], byte[]> producer =
                producer("delivery.timeout.ms", 600_000, "max.block.ms", 600_000, "linger.ms", 5, "batch.size", 16_384);
        Thread sender = new Thread(() -> {
            for (int i = 0; i < RECORDS; i++) {
                int number = i;
                var unused = producer.send(record(topic, Integer.toString(i)), (metadata, failure) -> {
                    if (failure != null) {
                        failures.add(failure);
                    } else {
                        told.set(number, metadata.offset());
                        acknowledged.incrementAndGet();
                    }
                });
            }
        });
        sender.start();
        for (int kill = 1; kill <= KILLS; kill++) {
            int reached = (int) ((long) RECORDS * kill / (KILLS + 2));
            await().atMost(Duration.ofMinutes(10))
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> acknowledged.get() >= reached);
            broker().kill();
            broker().start();
        }
        await().atMost(Duration.ofMinutes(10)).until(() -> !sender.isAlive());
        producer.flush();
        assertThat(failures).isEmpty();
        assertThat(acknowledged).hasValue(RECORDS);

        KafkaConsumer<byte[], byte[]> consumer = reader(topic);
        int next = 0;
        long end = System.nanoTime() + Duration.ofMinutes(5).toNanos();
        while (next < RECORDS && System.nanoTime() < end) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(500))) {
                assertThat(text(record.value())).isEqualTo(Integer.toString(next));
                assertThat(record.offset()).isEqualTo(told.get(next));
                next++;
            }
        }
        assertThat(next).isEqualTo(RECORDS);
        assertThat(consumer.poll(Duration.ofMillis(500)).count()).isZero();
    }
}
