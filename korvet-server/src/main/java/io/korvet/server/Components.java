package io.korvet.server;

import io.korvet.cluster.BrokerNode;
import io.korvet.cluster.ClusterView;
import io.korvet.cluster.Endpoint;
import io.korvet.cluster.FailureDetection;
import io.korvet.cluster.MembershipSettings;
import io.korvet.cluster.RegistryMembership;
import io.korvet.coordinator.GroupCoordinator;
import io.korvet.coordinator.GroupServices;
import io.korvet.coordinator.GroupSettings;
import io.korvet.coordinator.GroupTimers;
import io.korvet.coordinator.MemberIds;
import io.korvet.protocol.ApiCatalog;
import io.korvet.protocol.RequestCodec;
import io.korvet.server.config.KorvetConfig;
import io.korvet.server.config.WorkerConfig;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.Dispatcher;
import io.korvet.server.dispatch.HandlerTable;
import io.korvet.server.handler.ConsumerSubscriptions;
import io.korvet.server.log.Limits;
import io.korvet.server.log.LogBounds;
import io.korvet.server.log.PartitionLog;
import io.korvet.server.log.PartitionLogs;
import io.korvet.server.log.PositionMirror;
import io.korvet.server.metrics.BrokerMeters;
import io.korvet.server.metrics.PartitionOffsets;
import io.korvet.server.topics.CachedTopics;
import io.korvet.server.topics.TopicConfigs;
import io.korvet.server.topics.TopicSettings;
import io.korvet.store.Store;
import io.korvet.store.TopicCatalog.Topic;
import io.korvet.tiering.AbsentColdTier;
import io.korvet.tiering.ColdTier;
import io.korvet.tiering.ManagedLog;
import io.korvet.tiering.StorageWorker;
import io.korvet.tiering.TierPolicy;
import io.korvet.tiering.TieredEntryLog;
import io.korvet.tiering.WorkerSettings;
import io.netty.buffer.PooledByteBufAllocator;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** The parts of one process, put together by plain constructors; who starts them is {@link KorvetServer}. */
final class Components {

    private static final Duration TOPIC_POLL = Duration.ofSeconds(1);
    private static final Duration MIRROR_INTERVAL = Duration.ofSeconds(1);
    private static final Duration EXPIRY_INTERVAL = Duration.ofMinutes(10);
    /** Kafka's {@code producer.id.expiration.ms}. */
    private static final Duration PRODUCER_EXPIRY = Duration.ofDays(1);

    private final KorvetConfig config;
    private final Store store;
    private final Observers observers;
    private final InstantSource clock;
    private final ScheduledExecutorService scheduler;
    private final ExecutorService groupThreads;
    private final TopicConfigs topicConfigs;
    private final CachedTopics topics;
    private final PartitionLogs logs;
    private final PositionMirror mirror;
    private final GroupCoordinator coordinator;
    private final StorageWorker worker;
    private final MemoryWatch memory;
    private final @Nullable ColdTier coldTier;
    private final ClusterView alone;
    private volatile @Nullable RegistryMembership membership;
    private volatile String clusterId = "";
    private volatile @Nullable Future<?> expiring;

    /**
     * Parts that do nothing yet.
     *
     * @param coldTier where sealed segments go, {@code null} without one; closed by the caller after these parts
     */
    Components(
            KorvetConfig config,
            Store store,
            @Nullable ColdTier coldTier,
            Observers observers,
            BrokerMeters meters,
            InstantSource clock) {
        this.config = config;
        this.store = store;
        this.coldTier = coldTier;
        this.observers = observers;
        this.clock = clock;
        ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(2, named("korvet-timer"));
        timers.setRemoveOnCancelPolicy(true);
        scheduler = timers;
        groupThreads = Executors.newFixedThreadPool(2, named("korvet-groups"));
        topicConfigs = new TopicConfigs(
                coldTier == null ? TopicConfigs.RemoteTier.ABSENT : TopicConfigs.RemoteTier.CONFIGURED);
        topics = new CachedTopics(
                store,
                topicConfigs,
                new CachedTopics.Options(config::defaultsFor, config.broker().defaultPartitions(), TOPIC_POLL),
                clock,
                scheduler);
        ColdTier archive = coldTier == null ? new AbsentColdTier() : coldTier;
        logs = new PartitionLogs(
                topics,
                new TieredEntryLog(store.entries(), archive),
                PooledByteBufAllocator.DEFAULT,
                clock,
                new Limits(
                        Limits.DEFAULT.maxDecompressedBytes(),
                        config.broker().tailCacheBytes(),
                        Limits.DEFAULT.maxReadBytes()),
                observers.logs(archive::giveWay));
        mirror = new PositionMirror(store.deliveryGroups(), topics, logs, scheduler, MIRROR_INTERVAL);
        coordinator = new GroupCoordinator(
                GroupSettings.DEFAULTS
                        .withInitialRebalanceDelay(
                                Math.toIntExact(config.broker().rebalanceDelay().toMillis()))
                        .withSessionTimeouts(
                                Math.toIntExact(config.broker()
                                        .group()
                                        .minSessionTimeout()
                                        .toMillis()),
                                Math.toIntExact(config.broker()
                                        .group()
                                        .maxSessionTimeout()
                                        .toMillis())),
                new GroupServices(
                        store.commits(),
                        store.groupImages(),
                        group -> view().coordinatorOf(group).id() == view().self(),
                        groupThreads,
                        GroupTimers.on(scheduler),
                        clock,
                        MemberIds.random(),
                        new ConsumerSubscriptions(),
                        observers.groups(mirror)));
        topics.onRemoved(gone -> coordinator.forgetTopics(
                gone.stream().collect(Collectors.toMap(Topic::name, Topic::id, (earlier, later) -> later))));
        worker = new StorageWorker(
                store,
                coldTier,
                this::managedLogs,
                PartitionLogs.producersUnusedFor(PRODUCER_EXPIRY, clock),
                workerSettings(config.storage().worker()),
                observers.worker(),
                scheduler,
                clock);
        alone = new ClusterView(
                config.broker().id(),
                List.of(new BrokerNode(
                        config.broker().id(),
                        // Nobody is told this one; port 0 becomes a real one when the listener is bound, before
                        // joining.
                        new Endpoint("localhost", Math.max(1, config.broker().port())),
                        Map.of(),
                        config.broker().rack(),
                        clock.millis())));
        memory = new MemoryWatch(store, scheduler);
        meters.redisMemory(memory::ratio);
        meters.liveBrokers(() -> view().nodes().size());
        meters.partitionOffsets(this::partitionOffsets);
        topics.onRemoved(gone -> gone.forEach(topic -> meters.topicRemoved(topic.name())));
    }

    private static WorkerSettings workerSettings(WorkerConfig config) {
        WorkerSettings.Cold cold = WorkerSettings.Cold.DEFAULTS;
        return WorkerSettings.DEFAULTS
                .with(config.tickInterval(), config.leaseDuration())
                .with(new WorkerSettings.Cold(config.offloadParallelism(), cold.stall(), cold.maintainEvery()));
    }

    private static ThreadFactory named(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Reads what is shared by all brokers: the cluster's id and the topics. */
    CompletionStage<Void> start() {
        String proposal = Uuid.randomUuid().toString();
        return store.facts().compareAndSet("cluster-id", null, proposal).thenCompose(there -> {
            clusterId = there == null ? proposal : there;
            memory.start();
            return topics.start();
        });
    }

    /** Removes all rows of the registry, for when no other broker can be there; before joining. */
    CompletionStage<Void> forgetBrokers() {
        return store.brokers().rows().thenCompose(rows -> {
            CompletionStage<Void> removed = CompletableFuture.completedFuture(null);
            for (Map.Entry<String, String> row : rows.entrySet()) {
                removed = removed.thenCompose(before -> store.brokers().remove(row.getKey(), row.getValue()))
                        .thenAccept(done -> {});
            }
            return removed;
        });
    }

    /** Registers this broker and follows the others from then on. */
    CompletionStage<Void> join(BrokerNode self) {
        RegistryMembership joining = new RegistryMembership(
                self,
                store.brokers(),
                MembershipSettings.of(
                        config.broker().heartbeatInterval(), config.broker().staleAfter()),
                scheduler,
                clock,
                store.membershipEpochs(),
                failureDetection(),
                observers.membership());
        joining.onChange(view -> {
            logs.clusterChanged(view);
            coordinator.ownershipChanged();
        });
        membership = joining;
        expiring = scheduler.scheduleWithFixedDelay(
                this::expireOffsets, EXPIRY_INTERVAL.toMillis(), EXPIRY_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        return joining.join();
    }

    private @Nullable FailureDetection failureDetection() {
        Duration interval = config.broker().livenessInterval();
        return interval.isZero()
                ? null
                : new FailureDetection(
                        store.lifeSigns(), interval, config.broker().livenessTimeout(), System::nanoTime);
    }

    private void expireOffsets() {
        coordinator.expire();
    }

    /** The cluster as last seen; before joining, this broker alone. */
    ClusterView view() {
        RegistryMembership joined = membership;
        return joined != null ? joined.view() : alone;
    }

    /** Whether the registry showed this broker as registered when it was last asked. */
    boolean isRegistered() {
        RegistryMembership joined = membership;
        return joined != null && joined.registered();
    }

    /** Why this broker is not known to be registered. */
    String registryTrouble() {
        RegistryMembership joined = membership;
        String trouble = joined == null ? null : joined.trouble();
        return trouble == null ? "is not registered" : trouble;
    }

    void startWorker() {
        if (config.storage().worker().enabled()) {
            worker.start();
        }
    }

    CompletionStage<Void> stopWorker() {
        return worker.stop();
    }

    CompletionStage<Void> leave() {
        RegistryMembership joined = membership;
        return joined == null ? CompletableFuture.completedFuture(null) : joined.leave();
    }

    /** Ends what runs in this process; the store stays open. */
    void close() {
        Future<?> expiry = expiring;
        if (expiry != null) {
            expiry.cancel(false);
        }
        memory.stop();
        mirror.close();
        coordinator.close();
        topics.close();
        logs.close();
        groupThreads.shutdownNow();
        scheduler.shutdownNow();
    }

    /** The way from a frame to its answer. */
    Dispatcher dispatcher() {
        Handlers.Parts parts = new Handlers.Parts(
                config,
                store,
                topics,
                topicConfigs,
                logs,
                this::view,
                clusterId,
                coordinator,
                scheduler,
                PooledByteBufAllocator.DEFAULT,
                clock);
        List<ApiHandler<?, ?>> handlers = Handlers.all(parts);
        java.util.Set<org.apache.kafka.common.protocol.ApiKeys> keys = new java.util.HashSet<>();
        handlers.forEach(handler -> keys.add(handler.key()));
        ApiCatalog catalog = ApiCatalog.SERVED.only(keys);
        return new Dispatcher(
                new RequestCodec(catalog),
                new HandlerTable(catalog, handlers),
                observers.requests(),
                PooledByteBufAllocator.DEFAULT,
                System::nanoTime);
    }

    private CompletionStage<List<ManagedLog>> managedLogs() {
        List<ManagedLog> managed = new ArrayList<>();
        for (Topic topic : topics.all()) {
            TopicSettings settings = topics.settings(topic);
            TierPolicy policy = settings.tierPolicy();
            if (coldTier == null) {
                policy = policy.withoutTiering();
            }
            for (int partition = 0; partition < topic.partitions(); partition++) {
                managed.add(new ManagedLog(
                        PartitionLog.streamOf(topic.name(), partition), topic.id(), settings.encoding(), policy));
            }
        }
        return CompletableFuture.completedFuture(managed);
    }

    private Collection<PartitionOffsets> partitionOffsets() {
        List<PartitionOffsets> offsets = new ArrayList<>();
        for (PartitionLog log : logs.open()) {
            LogBounds bounds = log.offsets().known();
            if (bounds != null) {
                offsets.add(new PartitionOffsets(
                        log.topic(),
                        log.partition(),
                        bounds.startOffset(),
                        Math.max(bounds.startOffset(), bounds.endOffset() - 1)));
            }
        }
        return offsets;
    }
}
