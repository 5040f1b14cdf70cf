package io.korvet.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The meters of segments on their way to the cold tier. Thread-safe. */
public final class ArchiveMeters {

    private final MeterRegistry registry;
    private final Counter segments;
    private final Counter bytes;
    private final Map<String, Timer> results = new ConcurrentHashMap<>();
    private final Map<String, Timer> steps = new ConcurrentHashMap<>();
    private final Map<String, Timer> work = new ConcurrentHashMap<>();
    private final DistributionSummary memory;
    private final Map<String, Counter> failures = new ConcurrentHashMap<>();

    ArchiveMeters(MeterRegistry registry) {
        this.registry = registry;
        segments = Counter.builder("korvet.storage.archive.segments").register(registry);
        bytes = Counter.builder("korvet.storage.archive.bytes")
                .baseUnit("bytes")
                .register(registry);
        memory = DistributionSummary.builder("korvet.storage.archive.memory")
                .baseUnit("bytes")
                .register(registry);
    }

    /** What {@code korvet.storage.archive.lag.oldest} reads: seconds since the oldest segment that waits was sealed; 0 for none. */
    public void oldestWaiting(Supplier<Number> seconds) {
        Gauge.builder("korvet.storage.archive.lag.oldest", seconds)
                .baseUnit("seconds")
                .register(registry);
    }

    /** What {@code korvet.storage.archive.lag.segments} reads: sealed segments that are to go to the cold tier and didn't yet. */
    public void waiting(Supplier<Number> number) {
        Gauge.builder("korvet.storage.archive.lag.segments", number).register(registry);
    }

    /** A segment is in the cold tier now. */
    public void archived(long segmentBytes) {
        segments.increment();
        bytes.increment((double) segmentBytes);
    }

    /** An attempt to copy a segment is over: {@code result} is its outcome, or how it failed, in a word. */
    public void attempted(String result, long nanoseconds) {
        results.computeIfAbsent(
                        result,
                        key -> Timer.builder("korvet.storage.archive")
                                .tag("result", key)
                                .register(registry))
                .record(nanoseconds, TimeUnit.NANOSECONDS);
    }

    /** Time of an attempt went to a step, such as {@code read} or {@code upload}. */
    public void step(String step, long nanoseconds) {
        steps.computeIfAbsent(
                        step,
                        key -> Timer.builder("korvet.storage.archive.step")
                                .tag("step", key)
                                .register(registry))
                .record(nanoseconds, TimeUnit.NANOSECONDS);
    }

    /** Processor time of the cold tier's threads went to a step of an attempt. */
    public void worked(String step, long nanoseconds) {
        work.computeIfAbsent(
                        step,
                        key -> Timer.builder("korvet.storage.archive.step.cpu")
                                .tag("step", key)
                                .register(registry))
                .record(nanoseconds, TimeUnit.NANOSECONDS);
    }

    /** An attempt had so many bytes in memory at the most. */
    public void held(long mostBytes) {
        memory.record((double) mostBytes);
    }

    /** A call to the cold tier failed outside a read. */
    public void failed(String errorType) {
        failures.computeIfAbsent(
                        errorType,
                        key -> Counter.builder("korvet.storage.archive.failures")
                                .tag("error_type", key)
                                .register(registry))
                .increment();
    }
}
