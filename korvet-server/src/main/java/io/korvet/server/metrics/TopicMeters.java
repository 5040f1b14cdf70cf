package io.korvet.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The meters of one topic. Thread-safe and without look-ups: keep the object where records pass. */
public final class TopicMeters {

    private final MeterRegistry registry;
    private final String topic;
    private final Timer produce;
    private final Timer fetch;
    private final Counter produced;
    private final Counter fetched;
    private final Map<String, Counter> lossy = new ConcurrentHashMap<>();

    TopicMeters(MeterRegistry registry, String topic) {
        this.registry = registry;
        this.topic = topic;
        produce = Timer.builder("korvet.broker.produce").tag("topic", topic).register(registry);
        fetch = Timer.builder("korvet.broker.fetch").tag("topic", topic).register(registry);
        produced = Counter.builder("korvet.broker.produce.records")
                .tag("topic", topic)
                .register(registry);
        fetched = Counter.builder("korvet.broker.fetch.records")
                .tag("topic", topic)
                .register(registry);
        var unused = lossyIn("fetch");
    }

    /** A partition's part of a Produce was appended. */
    public void produced(int records, long nanoseconds) {
        produced.increment(records);
        produce.record(nanoseconds, TimeUnit.NANOSECONDS);
    }

    /** A partition's part of a Fetch was answered; waiting for records doesn't count as time. */
    public void fetched(int records, long nanoseconds) {
        fetched.increment(records);
        fetch.record(nanoseconds, TimeUnit.NANOSECONDS);
    }

    /** Entries that can't be given to Kafka clients were left out, in {@code fetch}, {@code offload} … */
    public void lossy(String phase, int records) {
        lossyIn(phase).increment(records);
    }

    /** The counter of one phase, 0 at first. */
    private Counter lossyIn(String phase) {
        return lossy.computeIfAbsent(
                phase,
                key -> Counter.builder("korvet.broker.lossy_records")
                        .tag("topic", topic)
                        .tag("phase", key)
                        .register(registry));
    }

    void remove() {
        List.<Meter>of(produce, fetch, produced, fetched).forEach(registry::remove);
        lossy.values().forEach(registry::remove);
    }
}
