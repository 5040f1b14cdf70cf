package io.korvet.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import java.util.List;
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
        segments = Counter.builder("korvet.storage.archive.segments")
                .description("segments confirmed to be in the cold tier")
                .register(registry);
        bytes = Counter.builder("korvet.storage.archive.bytes")
                .description("bytes of segments confirmed to be in the cold tier, as counted in Redis")
                .baseUnit("bytes")
                .register(registry);
        memory = DistributionSummary.builder("korvet.storage.archive.memory")
                .description("what an attempt to copy a segment had in memory at the most")
                .baseUnit("bytes")
                .register(registry);
    }

    /** What {@code korvet.storage.archive.lag.oldest} reads: seconds since the oldest segment that waits was sealed; 0 for none. */
    public void oldestWaiting(Supplier<Number> seconds) {
        Gauge.builder("korvet.storage.archive.lag.oldest", seconds)
                .description("age of the oldest sealed segment that is to go to the cold tier and did not yet")
                .baseUnit("seconds")
                .register(registry);
    }

    /** What {@code korvet.storage.archive.lag.segments} reads: sealed segments that are to go to the cold tier and didn't yet. */
    public void waiting(Supplier<Number> number) {
        Gauge.builder("korvet.storage.archive.lag.segments", number)
                .description("sealed segments that are to go to the cold tier and did not yet")
                .register(registry);
    }

    /** A segment is in the cold tier now. */
    public void archived(long segmentBytes) {
        segments.increment();
        bytes.increment((double) segmentBytes);
    }

    /** An attempt to copy a segment is over: {@code result} is its outcome, or how it failed, in a word. */
    public void attempted(String result, long nanoseconds) {
        record(
                results,
                "korvet.storage.archive",
                "attempts to copy a segment to the cold tier",
                Tag.of("result", result),
                nanoseconds);
    }

    /** Time of an attempt went to a step, such as {@code read} or {@code upload}. */
    public void step(String step, long nanoseconds) {
        record(
                steps,
                "korvet.storage.archive.step",
                "where the time of attempts to copy a segment went",
                Tag.of("step", step),
                nanoseconds);
    }

    /** Processor time of the cold tier's threads went to a step of an attempt. */
    public void worked(String step, long nanoseconds) {
        record(
                work,
                "korvet.storage.archive.step.cpu",
                "processor time of the copying thread",
                Tag.of("step", step),
                nanoseconds);
    }

    private void record(Map<String, Timer> timers, String name, String description, Tag tag, long nanoseconds) {
        timers.computeIfAbsent(
                        tag.getValue(),
                        value -> Timer.builder(name)
                                .description(description)
                                .tags(List.of(tag))
                                .register(registry))
                .record(nanoseconds, TimeUnit.NANOSECONDS);
    }

    /** An attempt had so many bytes in memory at the most. */
    public void held(long mostBytes) {
        memory.record((double) mostBytes);
    }

    /** A call to the cold tier failed outside a read. */
    public void failed(String errorType) {
        failures(errorType).increment();
    }

    /** The counter of failures of one kind, 0 at first. */
    public Counter failures(String errorType) {
        return failures.computeIfAbsent(
                errorType,
                key -> Counter.builder("korvet.storage.archive.failures")
                        .description("calls to the cold tier that failed, reads left out")
                        .tag("error_type", key)
                        .register(registry));
    }
}
