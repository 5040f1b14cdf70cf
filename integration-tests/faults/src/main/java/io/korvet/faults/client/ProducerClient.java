package io.korvet.faults.client;

import io.korvet.faults.history.Event;
import io.korvet.faults.history.Event.Acknowledged;
import io.korvet.faults.history.Event.Failed;
import io.korvet.faults.history.Event.Note;
import io.korvet.faults.history.Event.Sent;
import io.korvet.faults.history.Event.Unknown;
import io.korvet.faults.history.HistoryWriter;
import io.korvet.faults.history.Value;
import io.korvet.faults.machine.Waiting;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/** A producer that sends to all partitions at a steady rate, in bursts at times, and keeps what it is told. */
final class ProducerClient extends Thread {
    private static final int NUMBERS_APART = 100;
    private static final Duration TICK = Duration.ofMillis(10);
    private static final int BURST = 40;

    private final int index;
    private final Settings settings;
    private final Progress progress;
    private final Tally tally;
    private final SplittableRandom random;
    private volatile boolean stopping;
    private int lives;

    ProducerClient(int index, Settings settings, Progress progress, Tally tally) {
        super("producer-" + index);
        this.index = index;
        this.settings = settings;
        this.progress = progress;
        this.tally = tally;
        this.random = new SplittableRandom(settings.seed() + index);
        progress.add(Progress.Kind.PRODUCE, index);
    }

    /** No more records after this; the thread ends when all are answered. */
    void end() {
        stopping = true;
    }

    @Override
    public void run() {
        while (!stopping) {
            int number = index + NUMBERS_APART * lives++;
            try (HistoryWriter history =
                            new HistoryWriter(settings.folder().resolve("producer-" + number + ".history"));
                    KafkaProducer<byte[], byte[]> producer = settings.producer(index)) {
                new Life(number, producer, history).run();
                producer.flush();
            }
        }
    }

    /** One producer, until it can't go on or the run is over. */
    private final class Life {
        private final int number;
        private final KafkaProducer<byte[], byte[]> producer;
        private final HistoryWriter history;
        private int sequence;
        private boolean broken;

        Life(int number, KafkaProducer<byte[], byte[]> producer, HistoryWriter history) {
            this.number = number;
            this.producer = producer;
            this.history = history;
        }

        void run() {
            double due = 0;
            int turn = 0;
            while (!stopping && !broken) {
                due += settings.rate() * TICK.toMillis() / 1_000.0;
                while (due >= 1) {
                    TopicPartition partition = Topics.ALL.get(turn++ % Topics.ALL.size());
                    int records = random.nextInt(4 * BURST) == 0 ? BURST : 1;
                    for (int i = 0; i < records && !broken; i++) {
                        send(partition);
                    }
                    due -= 1;
                }
                Waiting.pause(TICK);
            }
        }

        private void send(TopicPartition partition) {
            Value value = new Value(number, sequence++);
            long timestamp = System.currentTimeMillis();
            byte[] key = Integer.toString(number).getBytes(StandardCharsets.US_ASCII);
            String name = partition.toString();
            history.add(new Sent(Event.now(), name, value, timestamp));
            tally.sent().increment();
            try {
                var unused = producer.send(
                        new ProducerRecord<>(partition.topic(), partition.partition(), timestamp, key, value.bytes()),
                        (metadata, failure) -> told(name, value, timestamp, metadata, failure));
            } catch (KafkaException | IllegalStateException e) {
                fail(name, value, e);
                history.add(new Note(Event.now(), "this producer can't go on: " + e));
                broken = true;
            }
        }

        private void told(
                String partition,
                Value value,
                long timestamp,
                @Nullable RecordMetadata metadata,
                @Nullable Exception failure) {
            if (failure == null && metadata != null) {
                history.add(new Acknowledged(Event.now(), partition, value, metadata.offset()));
                tally.acknowledged().increment();
                int place = Topics.index(metadata.topic(), metadata.partition());
                progress.reached(Progress.Kind.PRODUCE, index, place, timestamp);
            } else if (Thread.currentThread() == ProducerClient.this || failure instanceof RecordTooLargeException) {
                // Told by the thread that sends: it never got as far as a batch.
                fail(partition, value, failure);
            } else {
                history.add(new Unknown(Event.now(), partition, value, String.valueOf(failure)));
                tally.unknown().increment();
            }
        }

        private void fail(String partition, Value value, @Nullable Exception failure) {
            history.add(new Failed(Event.now(), partition, value, String.valueOf(failure)));
            tally.failed().increment();
        }
    }
}
