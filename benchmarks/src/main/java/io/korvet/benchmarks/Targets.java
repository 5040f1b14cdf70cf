package io.korvet.benchmarks;

import io.korvet.benchmarks.load.ArchiveSegments;
import io.korvet.benchmarks.load.ArchivedConsume;
import io.korvet.benchmarks.load.ClientProduce;
import io.korvet.benchmarks.load.Measurement;
import io.korvet.benchmarks.load.PacedLatency;
import io.korvet.benchmarks.load.PreparedProduce;
import io.korvet.benchmarks.load.RawAppend;
import io.korvet.benchmarks.load.RawAppend.Shape;
import io.korvet.benchmarks.load.TailConsume;
import io.korvet.benchmarks.load.WithColdReaders;
import io.korvet.benchmarks.report.Metric;
import io.korvet.benchmarks.report.Samples.Series;
import io.korvet.benchmarks.report.Target;
import io.korvet.benchmarks.report.Target.Operand;
import java.time.Duration;
import java.util.List;

/** What Korvet's rates and latencies ought to be, as ratios within one run. */
final class Targets {

    static final String KORVET = "Korvet";
    static final String KORVET_APPEND_ONLY = "Korvet, append-only file";
    static final String KAFKA = "Apache Kafka";
    static final String REDIS = "raw Redis";
    static final String REDIS_APPEND_ONLY = "raw Redis, append-only file";

    private static final double PRODUCE = 0.8;
    private static final double PREPARED = 0.55;
    private static final double TAIL = 0.8;

    private static final double ARCHIVED_RATE = 150_000;
    private static final double OFFLOAD_MEBIBYTES = 64;
    private static final double COLD_RATE = 200_000;
    private static final double COLD_READERS_COST = 1.5;

    private Targets() {}

    // The counts don't matter: a measurement's name doesn't tell them.
    static List<Target> all() {
        String produce = new ClientProduce(1, 100, 1).name();
        String produceSix = new ClientProduce(1, 100, 6).name();
        String prepared = new PreparedProduce(1, 100, 500, 1).name();
        String latency = new PacedLatency(1_000, Duration.ZERO).name();
        return List.of(
                toKafka(produce, Metric.RECORDS_PER_SECOND, PRODUCE),
                toKafka(produceSix, Metric.RECORDS_PER_SECOND, PRODUCE),
                toRedis(prepared, new RawAppend(1, 100, Shape.AS_STORED)),
                toRedis(prepared, new RawAppend(1, 100, Shape.VALUE)),
                toKafka(latency, Metric.DELIVERED_P50, 1),
                toKafka(latency, Metric.DELIVERED_P99, 1),
                toKafka(new TailConsume(1, 100).name(), Metric.RECORDS_PER_SECOND, TAIL),
                brokerToRedis(produce),
                brokerToRedis(prepared));
    }

    /** What the cold tier ought to do. */
    static List<Target> archive() {
        String copy = new ArchiveSegments(1, 100, 1).name();
        PacedLatency hot = new PacedLatency(Scale.HOT_RATE, Duration.ZERO);
        return List.of(
                byItself(copy, Metric.RECORDS_PER_SECOND, ARCHIVED_RATE),
                byItself(copy, Metric.ARCHIVE_MEMORY, OFFLOAD_MEBIBYTES),
                byItself(new ArchivedConsume(1, 100).name(), Metric.RECORDS_PER_SECOND, COLD_RATE),
                beside(hot, Metric.ACKNOWLEDGED_P99),
                beside(hot, Metric.DELIVERED_P99));
    }

    private static Target byItself(String measurement, Metric metric, double limit) {
        return new Target(
                "%s: %s".formatted(measurement, metric.title()),
                new Operand(new Series(measurement, KORVET), metric),
                null,
                limit);
    }

    private static Target beside(Measurement hot, Metric metric) {
        String with = new WithColdReaders(hot, Scale.COLD_READERS).name();
        return new Target(
                "%s : without: %s".formatted(with, metric.title()),
                new Operand(new Series(with, KORVET), metric),
                new Operand(new Series(hot.name(), KORVET), metric),
                COLD_READERS_COST);
    }

    private static Target toKafka(String measurement, Metric metric, double limit) {
        return new Target(
                "%s: %s, Korvet : Apache Kafka".formatted(measurement, metric.title()),
                new Operand(new Series(measurement, KORVET), metric),
                new Operand(new Series(measurement, KAFKA), metric),
                limit);
    }

    private static Target toRedis(String measurement, Measurement raw) {
        return new Target(
                "%s : %s".formatted(measurement, raw.name()),
                new Operand(new Series(measurement, KORVET), Metric.RECORDS_PER_SECOND),
                new Operand(new Series(raw.name(), REDIS), Metric.RECORDS_PER_SECOND),
                PREPARED);
    }

    private static Target brokerToRedis(String measurement) {
        return new Target(
                "%s: CPU per record, Korvet's broker : its Redis".formatted(measurement),
                new Operand(new Series(measurement, KORVET), Metric.BROKER_CPU),
                new Operand(new Series(measurement, KORVET), Metric.REDIS_CPU),
                1);
    }
}
