package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.Contender;
import io.korvet.benchmarks.report.Metric;
import java.time.Duration;
import java.util.Map;

/**
 * Kafka's consumer client reads a topic from its start after other data has driven the topic out of the broker's cache
 * (Korvet reads Redis; Apache Kafka still has the operating system's page cache).
 *
 * @param records how many
 * @param valueBytes size of each value
 * @param evictingBytes how much other data is written before the read
 */
public record ColdConsume(int records, int valueBytes, long evictingBytes) implements Measurement {

    private static final Duration AT_MOST = Duration.ofSeconds(60);
    private static final int BATCH_RECORDS = 100;
    private static final int EVICTING_VALUE_BYTES = 1_024;

    @Override
    public String name() {
        return "consume from the start, %,d B".formatted(valueBytes);
    }

    @Override
    public Contender.Protocol protocol() {
        return Contender.Protocol.KAFKA;
    }

    @Override
    public Map<Metric, Double> run(Contender contender) throws Exception {
        try (TestTopic topic = TestTopic.create(contender, 1);
                TestTopic other = TestTopic.create(contender, 1);
                PreparedConnection connection = new PreparedConnection(contender)) {
            int sent = connection.send(topic.partitions(), Clients.value(valueBytes), BATCH_RECORDS, records, AT_MOST);
            connection.send(
                    other.partitions(),
                    Clients.value(EVICTING_VALUE_BYTES),
                    BATCH_RECORDS,
                    (int) (evictingBytes / EVICTING_VALUE_BYTES),
                    AT_MOST);
            try (ConsumerLoop consumer = new ConsumerLoop(contender, topic.partitions(), ConsumerLoop.From.START)) {
                Meter meter = Meter.start(contender);
                consumer.read(sent, AT_MOST, record -> {});
                return meter.read(sent, valueBytes);
            }
        }
    }
}
