package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.Contender;
import io.korvet.benchmarks.report.Metric;
import java.time.Duration;
import java.util.Map;

/**
 * Kafka's consumer client reads a topic from its start, of which Redis has nothing any more.
 *
 * @param records how many
 * @param valueBytes size of each value, all different and incompressible
 */
public record ArchivedConsume(int records, int valueBytes) implements Measurement {

    private static final Duration AT_MOST = Duration.ofMinutes(2);

    @Override
    public String name() {
        return "consume from the archive, %,d B".formatted(valueBytes);
    }

    @Override
    public Contender.Protocol protocol() {
        return Contender.Protocol.KAFKA;
    }

    @Override
    public Map<Metric, Double> run(Contender contender) throws Exception {
        try (TestTopic topic = TestTopic.create(contender, 1)) {
            int sent = DistinctRecords.send(contender, topic, records, valueBytes) + 1;
            topic.configure(Map.of("remote.storage.enable", "true", "segment.ms", "1", "local.retention.ms", "1"));
            topic.awaitOnlyArchived(AT_MOST);
            try (ConsumerLoop consumer = new ConsumerLoop(contender, topic.partitions(), ConsumerLoop.From.START)) {
                Meter meter = Meter.start(contender);
                consumer.read(sent, AT_MOST, record -> {});
                return meter.read(sent, valueBytes);
            }
        }
    }
}
