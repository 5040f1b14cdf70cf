package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.Contender;
import io.korvet.benchmarks.report.Metric;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Kafka's consumer client, attached at the end, while a load generator sends prepared batches as fast as they are
 * acknowledged; the time ends when the consumer has them all.
 *
 * @param records how many
 * @param valueBytes size of each value
 */
public record TailConsume(int records, int valueBytes) implements Measurement {

    private static final Duration AT_MOST = Duration.ofSeconds(60);
    private static final int BATCH_RECORDS = 100;

    @Override
    public String name() {
        return "consume from the tail, %,d B".formatted(valueBytes);
    }

    @Override
    public Contender.Protocol protocol() {
        return Contender.Protocol.KAFKA;
    }

    @Override
    public Map<Metric, Double> run(Contender contender) throws Exception {
        byte[] value = Clients.value(valueBytes);
        int whole = records / BATCH_RECORDS * BATCH_RECORDS;
        ExecutorService sender = Executors.newSingleThreadExecutor();
        try (TestTopic topic = TestTopic.create(contender, 1);
                ConsumerLoop consumer = new ConsumerLoop(contender, topic.partitions(), ConsumerLoop.From.END);
                PreparedConnection connection = new PreparedConnection(contender)) {
            Meter meter = Meter.start(contender);
            Future<Integer> sent =
                    sender.submit(() -> connection.send(topic.partitions(), value, BATCH_RECORDS, whole, AT_MOST));
            consumer.read(whole, AT_MOST, record -> {});
            Map<Metric, Double> sample = meter.read(whole, valueBytes);
            sent.get();
            return sample;
        } finally {
            sender.shutdownNow();
        }
    }
}
