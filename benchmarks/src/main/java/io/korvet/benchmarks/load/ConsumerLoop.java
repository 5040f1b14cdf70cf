package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.Contender;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** A consumer that is at its place in all partitions before it is asked to read. */
final class ConsumerLoop implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(100);

    /** Where to begin. */
    enum From {
        /** With the first record. */
        START,
        /** Behind the last record. */
        END
    }

    /** Takes each record. */
    interface Sink {
        void accept(ConsumerRecord<byte[], byte[]> record);
    }

    private final KafkaConsumer<byte[], byte[]> consumer;

    ConsumerLoop(Contender contender, List<TopicPartition> partitions, From from) {
        consumer = Clients.consumer(contender);
        consumer.assign(partitions);
        switch (from) {
            case START -> consumer.seekToBeginning(partitions);
            case END -> consumer.seekToEnd(partitions);
        }
        partitions.forEach(consumer::position);
    }

    /** Polls until so many records have been read. */
    void read(int records, Duration atMost, Sink sink) throws BenchmarkException {
        long deadline = System.nanoTime() + atMost.toNanos();
        for (int read = 0; read < records; ) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                sink.accept(record);
                read++;
            }
            if (System.nanoTime() > deadline) {
                throw new BenchmarkException("only " + read + " of " + records + " records arrived within " + atMost);
            }
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}
