package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.Contender;
import io.korvet.benchmarks.report.Metric;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Kafka's producer client sends at a fixed rate with linger 0 while a consumer polls. Latency counts from the moment a
 * record was due, not from when it could be sent, so a stall is charged to every record that it delayed (no coordinated
 * omission). The first fifth is warm-up.
 *
 * @param rate records per second
 * @param length of the schedule
 */
public record PacedLatency(int rate, Duration length) implements Measurement {

    private static final int VALUE_BYTES = 100;
    private static final int WARM_UP_SHARE = 5;
    private static final int PATIENCE_FACTOR = 4;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long HIGHEST_MICROSECONDS = 120_000_000;

    @Override
    public String name() {
        return "latency at %,d records/s".formatted(rate);
    }

    @Override
    public Contender.Protocol protocol() {
        return Contender.Protocol.KAFKA;
    }

    @Override
    public Map<Metric, Double> run(Contender contender) throws Exception {
        int records = (int) (rate * length.toMillis() / 1_000);
        Duration atMost = length.multipliedBy(PATIENCE_FACTOR);
        Histogram acknowledged = new Histogram(HIGHEST_MICROSECONDS, 3);
        Histogram delivered = new Histogram(HIGHEST_MICROSECONDS, 3);
        ExecutorService sender = Executors.newSingleThreadExecutor();
        try (TestTopic topic = TestTopic.create(contender, 1);
                ConsumerLoop consumer = new ConsumerLoop(contender, topic.partitions(), ConsumerLoop.From.END)) {
            Meter meter = Meter.start(contender);
            long start = System.nanoTime() + NANOS_PER_SECOND / 10;
            long counted = start + length.toNanos() / WARM_UP_SHARE;
            Future<?> sent = sender.submit(() -> {
                send(contender, topic.name(), records, start, counted, acknowledged);
                return null;
            });
            consumer.read(
                    records,
                    atMost,
                    record -> record(delivered, ByteBuffer.wrap(record.value()).getLong(), counted));
            sent.get();
            Map<Metric, Double> sample = new EnumMap<>(meter.costs(records));
            percentiles(
                    acknowledged, Metric.ACKNOWLEDGED_P50, Metric.ACKNOWLEDGED_P99, Metric.ACKNOWLEDGED_P999, sample);
            percentiles(delivered, Metric.DELIVERED_P50, Metric.DELIVERED_P99, Metric.DELIVERED_P999, sample);
            return sample;
        } finally {
            sender.shutdownNow();
        }
    }

    private void send(Contender contender, String topic, int records, long start, long counted, Histogram acknowledged)
            throws Exception {
        AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        try (KafkaProducer<byte[], byte[]> producer = Clients.producer(contender, 0)) {
            producer.partitionsFor(topic);
            byte[] filling = Clients.value(VALUE_BYTES);
            for (int i = 0; i < records && failure.get() == null; i++) {
                long due = start + i * NANOS_PER_SECOND / rate;
                for (long early = due - System.nanoTime(); early > 0; early = due - System.nanoTime()) {
                    LockSupport.parkNanos(early);
                }
                byte[] value = filling.clone();
                ByteBuffer.wrap(value).putLong(due);
                var unused = producer.send(new ProducerRecord<>(topic, value), (metadata, exception) -> {
                    if (exception != null) {
                        failure.compareAndSet(null, exception);
                    } else {
                        record(acknowledged, due, counted);
                    }
                });
            }
        }
        Exception first = failure.get();
        if (first != null) {
            throw first;
        }
    }

    private static void record(Histogram histogram, long due, long counted) {
        if (due - counted >= 0) {
            histogram.recordValue(Math.min(HIGHEST_MICROSECONDS, (System.nanoTime() - due) / 1_000));
        }
    }

    private static void percentiles(
            Histogram histogram, Metric p50, Metric p99, Metric p999, Map<Metric, Double> sample) {
        sample.put(p50, histogram.getValueAtPercentile(50) / 1e3);
        sample.put(p99, histogram.getValueAtPercentile(99) / 1e3);
        sample.put(p999, histogram.getValueAtPercentile(99.9) / 1e3);
    }
}
