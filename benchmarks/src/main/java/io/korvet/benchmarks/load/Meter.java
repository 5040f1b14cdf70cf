package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.ChildProcess;
import io.korvet.benchmarks.process.Contender;
import io.korvet.benchmarks.process.ProcessUsage;
import io.korvet.benchmarks.report.Metric;
import java.io.IOException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/** Takes wall time and the CPU time of all processes involved, from its start until it is read. */
final class Meter {

    private static final double MILLION = 1e6;

    private final Contender contender;
    private final Map<String, ProcessUsage> before;
    private final long start = System.nanoTime();

    private Meter(Contender contender, Map<String, ProcessUsage> before) {
        this.contender = contender;
        this.before = before;
    }

    static Meter start(Contender contender) throws IOException {
        return new Meter(contender, usage(contender));
    }

    /** What was done since the start: rate, megabytes of values, CPU per million records, memory now. */
    Map<Metric, Double> read(long records, long valueBytes) throws IOException {
        double seconds = (System.nanoTime() - start) / 1e9;
        Map<Metric, Double> sample = new EnumMap<>(costs(records));
        sample.put(Metric.RECORDS_PER_SECOND, records / seconds);
        sample.put(Metric.MEGABYTES_PER_SECOND, records * valueBytes / MILLION / seconds);
        return sample;
    }

    /** Only CPU per million records and memory now. */
    Map<Metric, Double> costs(long records) throws IOException {
        Map<Metric, Double> sample = new EnumMap<>(Metric.class);
        usage(contender).forEach((process, now) -> {
            ProcessUsage then = before.getOrDefault(process, new ProcessUsage(0, 0));
            double cpu = (now.cpuSeconds() - then.cpuSeconds()) * MILLION / records;
            double memory = now.residentBytes() / MILLION;
            switch (process) {
                case "broker" -> {
                    sample.put(Metric.BROKER_CPU, cpu);
                    sample.put(Metric.BROKER_MEMORY, memory);
                }
                case "redis" -> {
                    sample.put(Metric.REDIS_CPU, cpu);
                    sample.put(Metric.REDIS_MEMORY, memory);
                }
                default -> sample.put(Metric.CLIENT_CPU, cpu);
            }
        });
        return sample;
    }

    private static Map<String, ProcessUsage> usage(Contender contender) throws IOException {
        Map<String, ProcessUsage> usage = new HashMap<>();
        // The harness's own children are the contenders, so only its own line counts.
        usage.put("client", ProcessUsage.of(ProcessHandle.current().pid()));
        for (ChildProcess process : contender.processes()) {
            usage.put(process.name(), process.usage());
        }
        return usage;
    }
}
