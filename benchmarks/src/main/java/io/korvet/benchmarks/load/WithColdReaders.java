package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.Contender;
import io.korvet.benchmarks.report.Metric;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Another measurement while readers go through an archived topic at full speed, each through a partition of its own, so
 * that none finds what another had decoded. The topic is filled when it is first needed and stays: it is larger than what
 * the broker keeps of decoded data.
 */
public final class WithColdReaders implements Measurement {

    private static final int RECORDS = 1_000_000;
    private static final int VALUE_BYTES = 100;
    private static final Duration AT_MOST = Duration.ofMinutes(2);
    /** A broker that runs has compiled what cold readers need; so has this one when it is measured. */
    private static final Duration WARM_UP = Duration.ofSeconds(25);
    /** The readers' own process is new each time. */
    private static final Duration SETTLE = Duration.ofSeconds(3);

    private final Measurement hot;
    private final int readers;
    private @Nullable TestTopic archived;
    private boolean warm;

    /** So many readers beside another measurement. */
    public WithColdReaders(Measurement hot, int readers) {
        this.hot = hot;
        this.readers = readers;
    }

    @Override
    public String name() {
        return "%s, %d cold readers".formatted(hot.name(), readers);
    }

    @Override
    public Contender.Protocol protocol() {
        return hot.protocol();
    }

    @Override
    public Map<Metric, Double> run(Contender contender) throws Exception {
        TestTopic topic = archived;
        if (topic == null) {
            topic = TestTopic.create(contender, readers);
            DistinctRecords.send(contender, topic, RECORDS, VALUE_BYTES);
            topic.configure(Map.of("remote.storage.enable", "true", "segment.ms", "1", "local.retention.ms", "1"));
            topic.awaitOnlyArchived(AT_MOST);
            archived = topic;
        }
        try (ColdReaders cold = new ColdReaders(contender, topic)) {
            TimeUnit.MILLISECONDS.sleep((warm ? SETTLE : WARM_UP).toMillis());
            warm = true;
            long begin = System.nanoTime();
            long before = cold.records();
            Map<Metric, Double> sample = new EnumMap<>(hot.run(contender));
            sample.put(Metric.COLD_RECORDS_PER_SECOND, (cold.records() - before) * 1e9 / (System.nanoTime() - begin));
            return sample;
        }
    }
}
