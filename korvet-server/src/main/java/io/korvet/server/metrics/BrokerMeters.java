package io.korvet.server.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.netty4.NettyAllocatorMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * All meters of a broker, with one cheap method for each thing that happens.
 *
 * <p>Thread-safe; counting takes a look-up or two in a concurrent map and no allocation once a meter exists, so it may be
 * done on event loops. Gauges are read when Prometheus asks, so what they are given must answer at once.
 */
public final class BrokerMeters implements AutoCloseable {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics garbageCollection = new JvmGcMetrics();
    private final Map<String, Map<String, Timer>> requests = new ConcurrentHashMap<>();
    private final Map<String, Map<String, Counter>> failures = new ConcurrentHashMap<>();
    private final Map<String, DistributionSummary> requestSizes = new ConcurrentHashMap<>();
    private final Map<String, DistributionSummary> responseSizes = new ConcurrentHashMap<>();
    private final Map<String, TopicMeters> topics = new ConcurrentHashMap<>();
    private final Map<String, Counter> rebalances = new ConcurrentHashMap<>();
    private final Map<String, Counter> groupImages = new ConcurrentHashMap<>();
    private final Map<String, Map<String, Timer>> storage = new ConcurrentHashMap<>();
    private final Map<String, Counter> workerFailures = new ConcurrentHashMap<>();
    private final Map<String, Counter> deaths = new ConcurrentHashMap<>();
    private final Counter falseDeaths;
    private final Counter lostRows;
    private final Timer workerWalks;
    private final Counter pressed;
    private final Counter released;
    private final PartitionGauges partitions;
    private final ArchiveMeters archive;

    /** Meters of a fresh registry, with those of the JVM. */
    public BrokerMeters() {
        falseDeaths = Counter.builder("korvet.broker.false_deaths").register(registry);
        lostRows = Counter.builder("korvet.broker.lost_rows").register(registry);
        workerWalks = Timer.builder("korvet.storage.worker.walk")
                .description("walks of the storage worker over all partitions")
                .register(registry);
        pressed = transitions("pause");
        released = transitions("resume");
        partitions = new PartitionGauges(registry);
        archive = new ArchiveMeters(registry);
        new JvmMemoryMetrics().bindTo(registry);
        garbageCollection.bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ClassLoaderMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        if (ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider allocator) {
            new NettyAllocatorMetrics(allocator).bindTo(registry);
        }
    }

    /** The registry, for meters of libraries. */
    public MeterRegistry registry() {
        return registry;
    }

    /** All values in Prometheus' text format. */
    public String scrape() {
        partitions.refresh();
        return registry.scrape();
    }

    /** What {@code korvet.broker.up} reads: 1 while the broker serves. */
    public void up(Supplier<Number> value) {
        gauge("korvet.broker.up", value);
    }

    /** What {@code korvet.broker.connections} reads: open client connections. */
    public void connections(Supplier<Number> value) {
        gauge("korvet.broker.connections", value);
    }

    /** What {@code korvet.broker.live_brokers} reads: brokers in this one's view, itself among them. */
    public void liveBrokers(Supplier<Number> value) {
        gauge("korvet.broker.live_brokers", value);
    }

    /** This broker declared another one dead, by {@code connection}, {@code silence} or {@code age}. */
    public void declaredDead(String evidence) {
        deaths(evidence).increment();
    }

    /** The counter of deaths by one evidence, 0 at first. */
    public Counter deaths(String evidence) {
        return deaths.computeIfAbsent(
                evidence,
                key -> Counter.builder("korvet.broker.deaths")
                        .tag("evidence", key)
                        .register(registry));
    }

    /** This broker found that another one had declared it dead. */
    public void foundDeclaredDead() {
        falseDeaths.increment();
    }

    /** This broker's row in the registry was gone or changed, and was written again. */
    public void lostRow() {
        lostRows.increment();
    }

    /** What {@code korvet.broker.pending} reads: bytes of requests being worked on. */
    public void pendingBytes(Supplier<Number> value) {
        Gauge.builder("korvet.broker.pending", value).baseUnit("bytes").register(registry);
    }

    /** What {@code korvet.broker.backpressure.connections} reads: connections not read at the moment. */
    public void pressedConnections(Supplier<Number> value) {
        gauge("korvet.broker.backpressure.connections", value);
    }

    /** What {@code korvet.storage.worker.up} reads: 1 while this process holds the worker's lease. */
    public void workerUp(Supplier<Number> value) {
        gauge("korvet.storage.worker.up", value);
    }

    /** What {@code korvet.redis.memory.used_ratio} reads: used to allowed memory, {@code NaN} when not known. */
    public void redisMemory(Supplier<Number> value) {
        gauge("korvet.redis.memory.used_ratio", value);
    }

    /** The meters of segments on their way to the cold tier. */
    public ArchiveMeters archive() {
        return archive;
    }

    private void gauge(String name, Supplier<Number> value) {
        Gauge.builder(name, value).register(registry);
    }

    /** Where the offset gauges of the partitions led here come from at each scrape. */
    public void partitionOffsets(Supplier<Collection<PartitionOffsets>> source) {
        partitions.offsets(source);
    }

    /** Where the lag gauges of the groups coordinated here come from at each scrape. */
    public void groupLag(Supplier<Collection<GroupLag>> source) {
        partitions.lag(source);
    }

    /** Reading sockets stopped because too much is pending. */
    public void pressed() {
        pressed.increment();
    }

    /** Reading sockets went on. */
    public void released() {
        released.increment();
    }

    /**
     * A request was answered.
     *
     * @param api the API's name, as in {@code Produce}
     * @param result {@code ok}, or what went wrong in a word
     * @param nanoseconds from the request's last byte to the answer's hand-over to the socket
     */
    public void requestFinished(String api, String result, long nanoseconds) {
        second(requests, api, result, this::requestTimer).record(nanoseconds, TimeUnit.NANOSECONDS);
    }

    /** A frame came in. */
    public void requestBytes(String api, int bytes) {
        requestSizes.computeIfAbsent(api, key -> frameSize("request", key)).record(bytes);
    }

    /** A frame went out. */
    public void responseBytes(String api, int bytes) {
        responseSizes.computeIfAbsent(api, key -> frameSize("response", key)).record(bytes);
    }

    /** Something failed that no client caused. */
    public void failed(String operation, String errorType) {
        failures(operation, errorType).increment();
    }

    /** The counter of such failures of one type, 0 at first. */
    public Counter failures(String operation, String errorType) {
        return second(
                failures,
                operation,
                errorType,
                (name, type) -> Counter.builder("korvet.broker.failures")
                        .tag("operation", name)
                        .tag("error_type", type)
                        .register(registry));
    }

    /** The meters of one topic; the same object for the same name, so worth keeping. */
    public TopicMeters topic(String name) {
        return topics.computeIfAbsent(name, key -> new TopicMeters(registry, key));
    }

    /** A topic is gone: its meters go too. */
    public void topicRemoved(String name) {
        TopicMeters meters = topics.remove(name);
        if (meters != null) {
            meters.remove();
        }
    }

    /** A group's rebalance came to a phase, such as {@code started} or {@code completed}. */
    public void rebalance(String phase) {
        rebalances
                .computeIfAbsent(
                        phase,
                        key -> Counter.builder("korvet.broker.rebalances")
                                .tag("phase", key)
                                .register(registry))
                .increment();
    }

    /** Something happened to the stored members of a group, such as {@code saved} or {@code restored}. */
    public void groupImage(String result) {
        groupImages
                .computeIfAbsent(
                        result,
                        key -> Counter.builder("korvet.broker.group_images")
                                .tag("result", key)
                                .register(registry))
                .increment();
    }

    /** The store was read: {@code tier} is {@code local} or {@code remote}, {@code result} is {@code ok} or a failure's kind. */
    public void storageRead(String tier, String result, long nanoseconds) {
        storageTimer("korvet.storage.read", tier, result).record(nanoseconds, TimeUnit.NANOSECONDS);
    }

    /** The store was written, as {@link #storageRead}. */
    public void storageWritten(String tier, String result, long nanoseconds) {
        storageTimer("korvet.storage.write", tier, result).record(nanoseconds, TimeUnit.NANOSECONDS);
    }

    /** The storage worker has looked at all partitions once. */
    public void workerWalked(long nanoseconds) {
        workerWalks.record(nanoseconds, TimeUnit.NANOSECONDS);
    }

    /** The storage worker failed in a phase ({@code roll}, {@code retention} …) and will try again. */
    public void workerFailed(String phase) {
        workerFailures(phase).increment();
    }

    /** The counter of the storage worker's failures in one phase, 0 at first. */
    public Counter workerFailures(String phase) {
        return workerFailures.computeIfAbsent(
                phase,
                key -> Counter.builder("korvet.storage.worker.failures")
                        .tag("phase", key)
                        .register(registry));
    }

    /** Ends what listens to the JVM. */
    @Override
    public void close() {
        garbageCollection.close();
        registry.close();
    }

    private Counter transitions(String action) {
        return Counter.builder("korvet.broker.backpressure.transitions")
                .tag("action", action)
                .register(registry);
    }

    private Timer requestTimer(String api, String result) {
        return Timer.builder("korvet.broker.request")
                .tag("api_key", api)
                .tag("result", result)
                .serviceLevelObjectives(List.of(1, 5, 10, 50, 100, 500, 1000, 5000).stream()
                        .map(Duration::ofMillis)
                        .toArray(Duration[]::new))
                .register(registry);
    }

    private DistributionSummary frameSize(String direction, String api) {
        return DistributionSummary.builder("korvet.broker.frame_size")
                .baseUnit("bytes")
                .tag("direction", direction)
                .tag("api_key", api)
                .register(registry);
    }

    private Timer storageTimer(String name, String tier, String result) {
        return second(
                storage,
                name + ' ' + tier,
                result,
                (ignored, key) ->
                        Timer.builder(name).tag("tier", tier).tag("result", key).register(registry));
    }

    private static <M> M second(
            Map<String, Map<String, M>> meters, String first, String second, BiFunction<String, String, M> maker) {
        Function<String, Map<String, M>> level = key -> new ConcurrentHashMap<>();
        return meters.computeIfAbsent(first, level).computeIfAbsent(second, key -> maker.apply(first, key));
    }
}
