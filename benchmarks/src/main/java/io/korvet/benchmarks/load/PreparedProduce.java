package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.Contender;
import io.korvet.benchmarks.report.Metric;
import java.time.Duration;
import java.util.Map;

/**
 * A load generator sends batches that were encoded before, so that the server side is what is measured: one blocking
 * connection, about 1,000 records (at least four batches) unanswered, not idempotent.
 *
 * @param records how many
 * @param valueBytes size of each value
 * @param batchRecords records in one batch, one batch in one request
 * @param partitions of the topic, served in turn
 */
public record PreparedProduce(int records, int valueBytes, int batchRecords, int partitions) implements Measurement {

    private static final Duration AT_MOST = Duration.ofSeconds(60);

    @Override
    public String name() {
        return "produce, prepared batches of %d, %,d B, %d partition%s"
                .formatted(batchRecords, valueBytes, partitions, partitions == 1 ? "" : "s");
    }

    @Override
    public Contender.Protocol protocol() {
        return Contender.Protocol.KAFKA;
    }

    @Override
    public Map<Metric, Double> run(Contender contender) throws Exception {
        byte[] value = Clients.value(valueBytes);
        try (TestTopic topic = TestTopic.create(contender, partitions);
                PreparedConnection connection = new PreparedConnection(contender)) {
            Meter meter = Meter.start(contender);
            int sent = connection.send(topic.partitions(), value, batchRecords, records, AT_MOST);
            return meter.read(sent, valueBytes);
        }
    }
}
