package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.Contender;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Records with values that are all different and can't be compressed, so that an archive has its work with them. */
final class DistinctRecords {

    private static final int LINGER_MILLISECONDS = 5;

    private DistinctRecords() {}

    /** Sends records to all partitions in turn, waits for the acknowledgements and answers how many they were. */
    static int send(Contender contender, TestTopic topic, int records, int valueBytes) throws Exception {
        AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        SplittableRandom random = new SplittableRandom(records);
        int partitions = topic.partitions().size();
        try (KafkaProducer<byte[], byte[]> producer = Clients.producer(contender, LINGER_MILLISECONDS)) {
            for (int i = 0; i < records && failure.get() == null; i++) {
                byte[] value = new byte[valueBytes];
                random.nextBytes(value);
                var unused = producer.send(
                        new ProducerRecord<>(topic.name(), i % partitions, null, value), (metadata, exception) -> {
                            if (exception != null) {
                                failure.compareAndSet(null, exception);
                            }
                        });
            }
            producer.flush();
        }
        Exception first = failure.get();
        if (first != null) {
            throw first;
        }
        return records;
    }
}
