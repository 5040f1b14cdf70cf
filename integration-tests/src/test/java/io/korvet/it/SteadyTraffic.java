package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A producer that sends a record to every partition of a topic every few milliseconds, and a consumer that reads them, both
 * with Kafka's default settings. A record's value is its number in the partition and the nanosecond it was sent at.
 */
final class SteadyTraffic implements AutoCloseable {

    private static final long PAUSE_NANOSECONDS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int MOST_OUTSTANDING = 20_000;

    private final String topic;
    private final int partitions;
    private final Map<String, Object> config;
    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicIntegerArray sent;
    private final AtomicIntegerArray acknowledged;
    private final AtomicLongArray acknowledgedAt;
    private final AtomicLongArray readAt;
    private final ConcurrentLinkedQueue<Exception> failures = new ConcurrentLinkedQueue<>();
    private final Thread sender = new Thread(this::send, "steady-producer");
    private final Thread reader = new Thread(this::read, "steady-consumer");
    private volatile long mark = System.nanoTime();
    private volatile boolean enough;

    /** Starts to send and to read; {@code settings} of both beside their defaults. */
    SteadyTraffic(String bootstrap, String topic, int partitions, Map<String, Object> settings) {
        this.topic = topic;
        this.partitions = partitions;
        config = new HashMap<>(settings);
        config.put("bootstrap.servers", bootstrap);
        sent = new AtomicIntegerArray(partitions);
        acknowledged = new AtomicIntegerArray(partitions);
        acknowledgedAt = new AtomicLongArray(partitions);
        readAt = new AtomicLongArray(partitions);
        producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
        sender.start();
        reader.start();
    }

    private void send() {
        while (!enough) {
            for (int partition = 0; partition < partitions; partition++) {
                send(partition);
            }
            LockSupport.parkNanos(PAUSE_NANOSECONDS);
        }
    }

    private void send(int partition) {
        if (sent.get(partition) - acknowledged.get(partition) > MOST_OUTSTANDING) {
            return;
        }
        long now = System.nanoTime();
        byte[] value = (sent.getAndIncrement(partition) + " " + now).getBytes(StandardCharsets.US_ASCII);
        var unused = producer.send(new ProducerRecord<>(topic, partition, null, value), (metadata, failure) -> {
            if (failure != null) {
                failures.add(failure);
            } else {
                acknowledged.incrementAndGet(partition);
                seen(acknowledgedAt, partition, now);
            }
        });
    }

    private void read() {
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(all());
            consumer.seekToEnd(all());
            while (!enough) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    seen(readAt, record.partition(), Long.parseLong(text(record).split(" ", -1)[1]));
                }
            }
        }
    }

    /** Keeps when the first record that was sent after the mark was seen. */
    private void seen(AtomicLongArray times, int partition, long sentAt) {
        if (times.get(partition) == 0 && sentAt - mark >= 0) {
            times.set(partition, System.nanoTime());
        }
    }

    private List<TopicPartition> all() {
        return IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
    }

    private static String text(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.value(), StandardCharsets.US_ASCII);
    }

    /** From now on, records that are sent later are waited for. */
    void mark() {
        mark = Long.MAX_VALUE / 2 + System.nanoTime();
        for (int partition = 0; partition < partitions; partition++) {
            acknowledgedAt.set(partition, 0);
            readAt.set(partition, 0);
        }
        mark = System.nanoTime();
    }

    /** Whether of all these partitions a record sent after the mark was acknowledged, and one was read. */
    boolean flowing(Collection<Integer> some) {
        return milliseconds(acknowledgedAt, some) >= 0 && milliseconds(readAt, some) >= 0;
    }

    /** From the mark until that was so for the last of these partitions; -1 while it isn't. */
    long acknowledgedAfter(Collection<Integer> some) {
        return milliseconds(acknowledgedAt, some);
    }

    /** From the mark until that was so for the last of these partitions; -1 while it isn't. */
    long readAfter(Collection<Integer> some) {
        return milliseconds(readAt, some);
    }

    private long milliseconds(AtomicLongArray times, Collection<Integer> some) {
        long latest = 0;
        for (int partition : some) {
            long at = times.get(partition);
            if (at == 0) {
                return -1;
            }
            latest = Math.max(latest, TimeUnit.NANOSECONDS.toMillis(at - mark));
        }
        return latest;
    }

    /** What is sent, acknowledged and read by partition, for when something doesn't flow. */
    @Override
    public String toString() {
        return "sender " + sender.isAlive() + ", reader " + reader.isAlive() + ", failures " + failures
                + ", partitions "
                + IntStream.range(0, partitions)
                        .mapToObj(partition -> partition + ": sent " + sent.get(partition) + " acknowledged "
                                + acknowledged.get(partition)
                                + (acknowledgedAt.get(partition) == 0 ? " (none since)" : "")
                                + (readAt.get(partition) == 0 ? " (none read since)" : ""))
                        .toList();
    }

    /** Ends the sending and fails unless everything sent was acknowledged and is in the topic once, in order. */
    void assertNothingLostOrDoubled() {
        stop();
        assertThat(failures).isEmpty();
        List<List<Integer>> found = new ArrayList<>();
        int total = 0;
        for (int partition = 0; partition < partitions; partition++) {
            found.add(new ArrayList<>());
            total += sent.get(partition);
            assertThat(acknowledged.get(partition)).isEqualTo(sent.get(partition));
        }
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(all());
            consumer.seekToBeginning(all());
            Map<TopicPartition, Long> ends = consumer.endOffsets(all());
            long limit = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
            while (System.nanoTime() < limit
                    && ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    found.get(record.partition())
                            .add(Integer.parseInt(text(record).split(" ", -1)[0]));
                }
            }
        }
        for (int partition = 0; partition < partitions; partition++) {
            assertThat(found.get(partition))
                    .as("partition " + partition)
                    .isEqualTo(IntStream.range(0, sent.get(partition)).boxed().toList());
        }
        assertThat(total).isPositive();
    }

    private void stop() {
        enough = true;
        try {
            sender.join(60_000);
            reader.join(60_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        producer.flush();
    }

    @Override
    public void close() {
        enough = true;
        producer.close(Duration.ofSeconds(5));
    }
}
