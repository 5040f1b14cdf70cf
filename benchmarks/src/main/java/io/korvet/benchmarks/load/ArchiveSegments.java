package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.Contender;
import io.korvet.benchmarks.process.PrometheusPage;
import io.korvet.benchmarks.report.Metric;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * The storage worker copies one full segment of each partition to the archive. The time runs from the moment the topic is
 * told to be tiered, so it holds the wait for a tick, until ListOffsets says that all is there; the records lie in Redis
 * before.
 *
 * @param records how many, in all partitions together
 * @param valueBytes size of each value, all different and incompressible
 * @param streams partitions
 */
public record ArchiveSegments(int records, int valueBytes, int streams) implements Measurement {

    private static final Duration AT_MOST = Duration.ofMinutes(2);
    private static final Map<Metric, String> STEPS =
            Map.of(Metric.ARCHIVE_READ, "read", Metric.ARCHIVE_ENCODE, "encode", Metric.ARCHIVE_UPLOAD, "upload");

    @Override
    public String name() {
        return "archive, %,d B, %d stream%s".formatted(valueBytes, streams, streams == 1 ? "" : "s");
    }

    @Override
    public Contender.Protocol protocol() {
        return Contender.Protocol.KAFKA;
    }

    @Override
    public Map<Metric, Double> run(Contender contender) throws Exception {
        try (TestTopic topic = TestTopic.create(contender, streams)) {
            int sent = DistinctRecords.send(contender, topic, records, valueBytes) + streams;
            Map<Metric, Double> before = steps(contender);
            Meter meter = Meter.start(contender);
            topic.configure(Map.of("remote.storage.enable", "true", "segment.ms", "1"));
            topic.awaitArchived(AT_MOST);
            Map<Metric, Double> sample = new EnumMap<>(meter.read(sent, valueBytes));
            steps(contender)
                    .forEach((metric, seconds) ->
                            sample.put(metric, (seconds - before.getOrDefault(metric, 0.0)) * 1e6 / sent));
            return sample;
        }
    }

    private static Map<Metric, Double> steps(Contender contender) throws Exception {
        PrometheusPage page = PrometheusPage.of(contender);
        Map<Metric, Double> seconds = new EnumMap<>(Metric.class);
        STEPS.forEach((metric, step) ->
                seconds.put(metric, page.value("korvet_storage_archive_step_seconds_sum{step=\"" + step + "\"}")));
        return seconds;
    }
}
