package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * An idempotent producer of numbers to all partitions of a topic, and a consumer that reads along from the start; both keep
 * all they were told, so that it can be held against the log.
 */
final class NumberTraffic implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final String bootstrap;
    private final String topic;
    private final int partitions;
    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<Integer, ConcurrentSkipListMap<Long, Integer>> acknowledged = new ConcurrentHashMap<>();
    private final Map<Integer, List<ConsumerRecord<byte[], byte[]>>> read = new ConcurrentHashMap<>();
    private final List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
    private final Thread sending;
    private final Thread reading;
    private volatile boolean stopped;
    private volatile int sent;

    NumberTraffic(String bootstrap, String topic, int partitions) {
        this.bootstrap = bootstrap;
        this.topic = topic;
        this.partitions = partitions;
        for (int partition = 0; partition < partitions; partition++) {
            acknowledged.put(partition, new ConcurrentSkipListMap<>());
            read.put(partition, java.util.Collections.synchronizedList(new ArrayList<>()));
        }
        Map<String, Object> config = clients(bootstrap);
        config.put("acks", "all");
        config.put("linger.ms", 0);
        config.put("delivery.timeout.ms", 240_000);
        config.put("max.block.ms", 60_000);
        producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
        consumer = consumer(bootstrap);
        consumer.assign(all());
        consumer.seekToBeginning(all());
        sending = new Thread(this::send, "numbers-sending");
        reading = new Thread(this::read, "numbers-reading");
        sending.start();
        reading.start();
    }

    private static Map<String, Object> clients(String bootstrap) {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", bootstrap);
        config.put("request.timeout.ms", 3_000);
        config.put("reconnect.backoff.max.ms", 200);
        return config;
    }

    private static KafkaConsumer<byte[], byte[]> consumer(String bootstrap) {
        Map<String, Object> config = clients(bootstrap);
        // An offset that is told to be out of range is a failure here.
        config.put("auto.offset.reset", "none");
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private List<TopicPartition> all() {
        return IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
    }

    private void send() {
        try {
            while (!stopped) {
                int number = sent;
                for (int partition = 0; partition < partitions; partition++) {
                    byte[] value = Integer.toString(number).getBytes(StandardCharsets.US_ASCII);
                    var unused =
                            producer.send(new ProducerRecord<>(topic, partition, null, value), (metadata, failure) -> {
                                if (failure != null) {
                                    failures.add(failure);
                                } else {
                                    Objects.requireNonNull(acknowledged.get(metadata.partition()))
                                            .put(metadata.offset(), number);
                                }
                            });
                }
                sent = number + 1;
                java.util.concurrent.locks.LockSupport.parkNanos(5_000_000);
            }
        } catch (RuntimeException e) {
            failures.add(e);
        }
    }

    private void read() {
        try {
            while (true) {
                consumer.poll(Duration.ofSeconds(1))
                        .forEach(record -> Objects.requireNonNull(read.get(record.partition()))
                                .add(record));
            }
        } catch (WakeupException e) {
            // the end
        } catch (RuntimeException e) {
            failures.add(e);
        }
    }

    /** Until numbers sent from now on have been acknowledged and read, on every partition. */
    void awaitProgress() {
        int from = sent;
        await().atMost(LIMIT)
                .pollInterval(Duration.ofMillis(50))
                .failFast("a client failed", () -> !failures.isEmpty())
                .until(() -> acknowledged.values().stream()
                                .allMatch(numbers -> numbers.containsKey(last(numbers)) && newest(numbers) > from)
                        && read.values().stream().allMatch(records -> newest(records) > from));
    }

    private static long last(ConcurrentSkipListMap<Long, Integer> numbers) {
        return numbers.isEmpty() ? -1 : numbers.lastKey();
    }

    private static int newest(ConcurrentSkipListMap<Long, Integer> numbers) {
        return numbers.lastEntry().getValue();
    }

    private static int newest(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.isEmpty() ? -1 : number(records.get(records.size() - 1));
    }

    private static int number(ConsumerRecord<byte[], byte[]> record) {
        return Integer.parseInt(new String(record.value(), StandardCharsets.US_ASCII));
    }

    long largestOffset() {
        return acknowledged.values().stream()
                .mapToLong(NumberTraffic::last)
                .max()
                .orElse(-1);
    }

    /** Ends both, and holds what they were told against the log. */
    void stopAndCheck() {
        stopped = true;
        join(sending);
        producer.flush();
        assertThat(failures).isEmpty();
        for (int partition = 0; partition < partitions; partition++) {
            Map<Long, Integer> told = new TreeMap<>(acknowledged.get(partition));
            List<ConsumerRecord<byte[], byte[]>> log = recordsOf(bootstrap, topic, partition);
            Map<Long, Integer> there = new TreeMap<>();
            log.forEach(record -> there.put(record.offset(), number(record)));
            assertThat(log)
                    .extracting(NumberTraffic::number)
                    .as("partition " + partition)
                    .isSorted();
            assertThat(there).as("partition " + partition).isEqualTo(told).hasSize(sent);
            List<ConsumerRecord<byte[], byte[]>> along = Objects.requireNonNull(read.get(partition));
            await().atMost(LIMIT)
                    .failFast("a client failed", () -> !failures.isEmpty())
                    .until(() -> along.size() >= sent);
            assertThat(along.stream().map(ConsumerRecord::offset).toList())
                    .as("read along")
                    .isEqualTo(log.stream().map(ConsumerRecord::offset).toList());
            assertThat(along.stream().map(NumberTraffic::number).toList())
                    .isEqualTo(log.stream().map(NumberTraffic::number).toList());
        }
        System.out.println("TwoLeadersIT: " + sent + " numbers on each of " + partitions + " partitions");
    }

    private static void join(Thread thread) {
        try {
            thread.join(LIMIT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Where partitions end. */
    static List<Long> ends(String bootstrap, String topic, int partitions) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(bootstrap)) {
            List<TopicPartition> all = IntStream.range(0, partitions)
                    .mapToObj(partition -> new TopicPartition(topic, partition))
                    .toList();
            Map<TopicPartition, Long> ends = consumer.endOffsets(all, Duration.ofSeconds(20));
            return all.stream().map(ends::get).toList();
        }
    }

    /** All values of a partition. */
    static List<String> valuesOf(String bootstrap, String topic, int partition) {
        return recordsOf(bootstrap, topic, partition).stream()
                .map(record -> new String(record.value(), StandardCharsets.US_ASCII))
                .toList();
    }

    private static List<ConsumerRecord<byte[], byte[]>> recordsOf(String bootstrap, String topic, int partition) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(bootstrap)) {
            TopicPartition one = new TopicPartition(topic, partition);
            consumer.assign(List.of(one));
            consumer.seekToBeginning(List.of(one));
            long end = Objects.requireNonNull(consumer.endOffsets(List.of(one)).get(one));
            List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (consumer.position(one) < end && System.nanoTime() < deadline) {
                consumer.poll(Duration.ofMillis(200)).forEach(records::add);
            }
            return records;
        }
    }

    @Override
    public void close() {
        stopped = true;
        join(sending);
        consumer.wakeup();
        join(reading);
        producer.close(Duration.ofSeconds(5));
        consumer.close();
    }
}
