package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.ChildProcess;
import io.korvet.benchmarks.process.Contender;
import io.korvet.benchmarks.process.ProcessUsage;
import io.korvet.benchmarks.process.PrometheusPage;
import io.korvet.benchmarks.report.Metric;
import java.io.IOException;
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
    private static final String TIMES = "korvet_storage_archive_step_seconds_sum{step=\"%s\"}";
    private static final String WORK = "korvet_storage_archive_step_cpu_seconds_sum{step=\"%s\"}";
    private static final String MEMORY = "korvet_storage_archive_memory_bytes_";
    private static final String EVENT_LOOPS = "korvet-net";
    private static final Map<Metric, String> SECONDS = Map.of(
            Metric.ARCHIVE_READ, TIMES.formatted("read"),
            Metric.ARCHIVE_ENCODE, TIMES.formatted("encode"),
            Metric.ARCHIVE_UPLOAD, TIMES.formatted("upload"),
            Metric.ARCHIVE_ENCODE_CPU, WORK.formatted("encode"),
            Metric.ARCHIVE_UPLOAD_CPU, WORK.formatted("upload"));

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
            PrometheusPage before = PrometheusPage.of(contender);
            double loops = loops(contender);
            Meter meter = Meter.start(contender);
            topic.configure(Map.of("remote.storage.enable", "true", "segment.ms", "1"));
            topic.awaitArchived(AT_MOST);
            Map<Metric, Double> sample = new EnumMap<>(meter.read(sent, valueBytes));
            sample.put(Metric.ARCHIVE_LOOPS_CPU, (loops(contender) - loops) * 1e6 / sent);
            PrometheusPage after = PrometheusPage.of(contender);
            SECONDS.forEach(
                    (metric, series) -> sample.put(metric, (after.value(series) - before.value(series)) * 1e6 / sent));
            double offloads = after.value(MEMORY + "count") - before.value(MEMORY + "count");
            double bytes = after.value(MEMORY + "sum") - before.value(MEMORY + "sum");
            sample.put(Metric.ARCHIVE_MEMORY, bytes / offloads / (1 << 20));
            return sample;
        }
    }

    private static double loops(Contender contender) throws IOException {
        double seconds = 0;
        for (ChildProcess process : contender.processes()) {
            seconds += ProcessUsage.ofThreads(process.handle().pid(), EVENT_LOOPS);
        }
        return seconds;
    }
}
