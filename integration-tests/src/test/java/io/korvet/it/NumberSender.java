package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** Numbers that a producer sends from a thread of its own, in turn to all partitions of a topic, and what it was told. */
final class NumberSender {
    private static final int FLUSH_EVERY = 200;

    private final String topic;
    private final int partitions;
    private final Map<Integer, Long> told = new ConcurrentSkipListMap<>();
    private final List<Exception> failures = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private volatile boolean enough;

    /** Begins to send. */
    NumberSender(KafkaProducer<byte[], byte[]> producer, String topic, int partitions) {
        this.topic = topic;
        this.partitions = partitions;
        thread = new Thread(() -> send(producer), "sender-" + topic);
        thread.start();
    }

    private void send(KafkaProducer<byte[], byte[]> producer) {
        for (int i = 0; !enough; i++) {
            int number = i;
            byte[] value = Integer.toString(i).getBytes(StandardCharsets.US_ASCII);
            var unused =
                    producer.send(new ProducerRecord<>(topic, i % partitions, null, value), (metadata, failure) -> {
                        if (failure == null) {
                            told.put(number, metadata.offset());
                        } else {
                            failures.add(failure);
                        }
                    });
            if (i % FLUSH_EVERY == 0) {
                producer.flush();
            }
        }
        producer.flush();
    }

    /** How many were acknowledged so far. */
    int acknowledged() {
        return told.size();
    }

    /** The numbers that were acknowledged so far. */
    Set<Integer> told() {
        return told.keySet();
    }

    /** The largest number that was acknowledged so far. */
    int newest() {
        return told.keySet().stream().reduce(-1, Math::max);
    }

    /** Sends no more. */
    void end() {
        enough = true;
    }

    /** Sends no more and waits until all that was sent is answered. */
    void stop() throws InterruptedException {
        enough = true;
        thread.join(120_000);
        assertThat(thread.isAlive()).as("still sending to " + topic).isFalse();
    }

    /** What went wrong for good. */
    List<Exception> failures() {
        return failures;
    }

    /**
     * Reads all partitions and checks that what is there is in order, once, and where the producer was told.
     *
     * @return the numbers that were acknowledged and are not there
     */
    List<Integer> lost(KafkaConsumer<byte[], byte[]> consumer) {
        List<TopicPartition> all = IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        Map<Integer, Long> missing = new TreeMap<>(told);
        int[] last = IntStream.generate(() -> -1).limit(partitions).toArray();
        consumer.assign(all);
        consumer.seekToBeginning(all);
        Map<TopicPartition, Long> ends = consumer.endOffsets(all);
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (all.stream().anyMatch(each -> consumer.position(each) < ends.getOrDefault(each, 0L))) {
            assertThat(System.nanoTime()).as("time to read " + topic).isLessThan(deadline);
            Consumer<ConsumerRecord<byte[], byte[]>> check = record -> {
                int number = Integer.parseInt(new String(record.value(), StandardCharsets.US_ASCII));
                assertThat(number).as("after the one before").isGreaterThan(last[record.partition()]);
                last[record.partition()] = number;
                Long offset = missing.remove(number);
                // With acks=0 nobody tells an offset.
                assertThat(offset == null || offset < 0 || offset == record.offset())
                        .as(number + " is at " + record.offset() + ", told " + offset)
                        .isTrue();
            };
            consumer.poll(Duration.ofMillis(200)).forEach(check);
        }
        return new ArrayList<>(missing.keySet());
    }
}
