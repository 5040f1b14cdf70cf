package io.korvet.server.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The gauges of partitions and groups: filled anew at each scrape, at most {@link #MOST_SERIES} each. */
final class PartitionGauges {

    static final int MOST_SERIES = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(PartitionGauges.class);

    private final MultiGauge logStart;
    private final MultiGauge max;
    private final MultiGauge lag;
    private volatile Supplier<Collection<PartitionOffsets>> offsets = List::of;
    private volatile Supplier<Collection<GroupLag>> lags = List::of;
    private volatile boolean warned;

    PartitionGauges(MeterRegistry registry) {
        logStart = MultiGauge.builder("korvet.broker.log_start_offset").register(registry);
        max = MultiGauge.builder("korvet.broker.max_offset").register(registry);
        lag = MultiGauge.builder("korvet.group.lag_records").register(registry);
    }

    void offsets(Supplier<Collection<PartitionOffsets>> source) {
        offsets = source;
    }

    void lag(Supplier<Collection<GroupLag>> source) {
        lags = source;
    }

    synchronized void refresh() {
        Collection<PartitionOffsets> partitions = offsets.get();
        Function<PartitionOffsets, Tags> tags =
                row -> Tags.of("topic", row.topic(), "partition", String.valueOf(row.partition()));
        fill(logStart, partitions, tags, PartitionOffsets::logStart);
        fill(max, partitions, tags, PartitionOffsets::max);
        fill(
                lag,
                lags.get(),
                row -> Tags.of(
                        "group", row.group(), "topic", row.topic(), "partition", String.valueOf(row.partition())),
                GroupLag::records);
    }

    private <T> void fill(MultiGauge gauge, Collection<T> rows, Function<T, Tags> tags, ToLongFunction<T> value) {
        if (rows.size() > MOST_SERIES && !warned) {
            warned = true;
            LOG.atWarn()
                    .addKeyValue("series", rows.size())
                    .addKeyValue("shown", MOST_SERIES)
                    .log("More partitions than the metrics show; the rest is left out");
        }
        gauge.register(
                rows.stream()
                        .limit(MOST_SERIES)
                        .map(row -> MultiGauge.Row.of(tags.apply(row), value.applyAsLong(row)))
                        .toList(),
                true);
    }
}
