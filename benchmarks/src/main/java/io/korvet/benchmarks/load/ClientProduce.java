package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.Contender;
import io.korvet.benchmarks.report.Metric;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Kafka's producer client sends records without a key as fast as it can, linger 5 ms; the time ends with the last
 * acknowledgement.
 *
 * @param records how many
 * @param valueBytes size of each value
 * @param partitions of the topic
 */
public record ClientProduce(int records, int valueBytes, int partitions) implements Measurement {

    private static final int LINGER_MILLISECONDS = 5;

    @Override
    public String name() {
        return "produce, Kafka's client, %,d B, %d partition%s"
                .formatted(valueBytes, partitions, partitions == 1 ? "" : "s");
    }

    @Override
    public Contender.Protocol protocol() {
        return Contender.Protocol.KAFKA;
    }

    @Override
    public Map<Metric, Double> run(Contender contender) throws Exception {
        byte[] value = Clients.value(valueBytes);
        AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        try (TestTopic topic = TestTopic.create(contender, partitions);
                KafkaProducer<byte[], byte[]> producer = Clients.producer(contender, LINGER_MILLISECONDS)) {
            producer.partitionsFor(topic.name());
            Meter meter = Meter.start(contender);
            for (int i = 0; i < records && failure.get() == null; i++) {
                var unused = producer.send(new ProducerRecord<>(topic.name(), value), (metadata, exception) -> {
                    if (exception != null) {
                        failure.compareAndSet(null, exception);
                    }
                });
            }
            producer.flush();
            Exception first = failure.get();
            if (first != null) {
                throw first;
            }
            return meter.read(records, valueBytes);
        }
    }
}
