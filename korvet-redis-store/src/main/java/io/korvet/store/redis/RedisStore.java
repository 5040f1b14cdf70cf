package io.korvet.store.redis;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.DeliveryGroups;
import io.korvet.store.EntryLog;
import io.korvet.store.GroupImages;
import io.korvet.store.HeartbeatTable;
import io.korvet.store.LeaseStore;
import io.korvet.store.LifeSigns;
import io.korvet.store.MembershipEpochs;
import io.korvet.store.MemoryUse;
import io.korvet.store.SegmentCatalog;
import io.korvet.store.Sequences;
import io.korvet.store.Store;
import io.korvet.store.StoreException;
import io.korvet.store.StoreException.Kind;
import io.korvet.store.StoreNotReadyException;
import io.korvet.store.TopicCatalog;
import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandType;
import io.netty.channel.EventLoopGroup;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The store on Redis 6.2 or later, Valkey included: one server, a master found by Sentinel, or a Redis Cluster. Each server
 * has connections for appends, for appends that wait for replicas, for reads and for everything else, so that a long read
 * or a slow look-up delays no append. Logs may have a Redis of their own.
 */
public final class RedisStore implements Store {

    private final RedisConnections connections;
    private final RedisConnections dataConnections;
    private final KeySchema keys;
    private final RedisEntryLog entries;
    private final RedisSegmentCatalog segments;
    private final RedisTopicCatalog topics;
    private final RedisCommittedOffsets commits;
    private final RedisGroupImages groupImages;
    private final RedisDeliveryGroups deliveryGroups;
    private final RedisHeartbeatTable brokers;
    private final RedisLifeSigns lifeSigns;
    private final RedisMembershipEpochs membershipEpochs;
    private final RedisHeartbeatTable facts;
    private final RedisHeartbeatTable removals;
    private final RedisLeaseStore leases;
    private final RedisSequences sequences;
    private final RedisAdvice advice;
    private final RedisMemory memory;

    private RedisStore(RedisConnections connections, RedisConnections dataConnections, KeySchema keys) {
        RedisRoute metadata = connections.route(RedisNode.Kind.METADATA);
        RedisRoute dataRoute = dataConnections.route(RedisNode.Kind.METADATA);
        this.connections = connections;
        this.dataConnections = dataConnections;
        this.keys = keys;
        entries = new RedisEntryLog(keys, dataConnections);
        segments = new RedisSegmentCatalog(keys, dataRoute, entries);
        topics = new RedisTopicCatalog(keys, metadata);
        commits = new RedisCommittedOffsets(keys, metadata);
        groupImages = new RedisGroupImages(keys, metadata);
        deliveryGroups = new RedisDeliveryGroups(keys, dataRoute);
        brokers = new RedisHeartbeatTable(keys.brokers(), metadata);
        membershipEpochs = new RedisMembershipEpochs(keys, metadata);
        lifeSigns = new RedisLifeSigns(keys, connections, membershipEpochs);
        facts = new RedisHeartbeatTable(keys.facts(), metadata);
        removals = new RedisHeartbeatTable(keys.removals(), metadata);
        leases = new RedisLeaseStore(keys, metadata);
        sequences = new RedisSequences(keys, metadata);
        advice = new RedisAdvice(connections, dataConnections);
        memory = new RedisMemory(dataConnections);
    }

    /**
     * Connects and loads the scripts; nothing is waited for on the calling thread.
     *
     * @return the store, to be closed by the caller; fails with a {@link StoreException} that names the
     *     server, of kind UNAVAILABLE or REFUSED; with a {@link StoreNotReadyException} when it is there and loads its data,
     *     or its cluster or sentinels have a master that is away
     */
    public static CompletionStage<RedisStore> open(RedisStoreOptions options) {
        return open(options, options, null);
    }

    /**
     * The same with logs in a Redis of their own and on event loops of the caller's, so that a call from one of their
     * threads, and its answer, may stay there.
     *
     * @param options for topics, positions, brokers and leases; its namespace holds for all
     * @param data for logs; the same as {@code options} where they have no Redis of their own
     * @param shared serves the connections instead of threads of the store's own, which {@code null} stands for; to be ended
     *     by the caller after the store
     */
    public static CompletionStage<RedisStore> open(
            RedisStoreOptions options, RedisStoreOptions data, @Nullable EventLoopGroup shared) {
        boolean together = data.equals(options);
        RedisConnections connections = new RedisConnections(
                options, together ? EnumSet.allOf(RedisNode.Kind.class) : EnumSet.of(RedisNode.Kind.METADATA), shared);
        RedisConnections dataConnections =
                together ? connections : new RedisConnections(data, EnumSet.allOf(RedisNode.Kind.class), shared);
        RedisStore store = new RedisStore(connections, dataConnections, new KeySchema(options.namespace()));
        CompletionStage<Void> opening = opened(connections, options);
        if (!together) {
            opening = opening.thenCombine(opened(dataConnections, data), (first, second) -> null);
        }
        return opening.handle((done, failure) -> {
                    if (failure == null) {
                        return CompletableFuture.completedStage(store);
                    }
                    store.close();
                    return CompletableFuture.<RedisStore>failedStage(
                            failure instanceof CompletionException wrapped && wrapped.getCause() != null
                                    ? wrapped.getCause()
                                    : failure);
                })
                .thenCompose(opened -> opened);
    }

    private static CompletionStage<Void> opened(RedisConnections connections, RedisStoreOptions options) {
        return connections
                .open()
                .handle((done, failure) -> failure == null
                        ? CompletableFuture.allOf()
                        : CompletableFuture.<Void>failedStage(cannotOpen(options, failure)))
                .thenCompose(result -> result);
    }

    private static StoreException cannotOpen(RedisStoreOptions options, Throwable failure) {
        String problem = "Redis at " + options.safeUri() + " can't be used";
        // The server's own words may end with a full stop.
        String reason =
                String.valueOf(DriverFailures.root(failure).getMessage()).replaceFirst("\\.$", "");
        if (DriverFailures.chain(failure).anyMatch(DriverFailures::isNotReady)
                || (options.hasSentinels() && DriverFailures.isMasterAway(failure))) {
            return new StoreNotReadyException(problem + " yet: " + reason + ".", failure);
        }
        Kind kind = failure instanceof StoreException known ? known.kind() : Kind.UNAVAILABLE;
        return new StoreException(
                kind,
                problem + ": " + reason
                        + ". Check that the server runs there, and user name, password and TLS in the URI.",
                failure);
    }

    @Override
    public EntryLog entries() {
        return entries;
    }

    @Override
    public SegmentCatalog segments() {
        return segments;
    }

    @Override
    public TopicCatalog topics() {
        return topics;
    }

    @Override
    public CommittedOffsets commits() {
        return commits;
    }

    @Override
    public GroupImages groupImages() {
        return groupImages;
    }

    @Override
    public DeliveryGroups deliveryGroups() {
        return deliveryGroups;
    }

    @Override
    public HeartbeatTable brokers() {
        return brokers;
    }

    @Override
    public LifeSigns lifeSigns() {
        return lifeSigns;
    }

    @Override
    public MembershipEpochs membershipEpochs() {
        return membershipEpochs;
    }

    @Override
    public HeartbeatTable facts() {
        return facts;
    }

    @Override
    public HeartbeatTable removals() {
        return removals;
    }

    @Override
    public LeaseStore leases() {
        return leases;
    }

    @Override
    public Sequences sequences() {
        return sequences;
    }

    /** The keys of this store's namespace. */
    public KeySchema keys() {
        return keys;
    }

    /** The servers' settings against those recommended for a log. */
    public RedisAdvice advice() {
        return advice;
    }

    @Override
    public CompletionStage<Void> ping() {
        return ping(connections);
    }

    @Override
    public CompletionStage<Void> pingLogs() {
        return ping(dataConnections);
    }

    private static CompletionStage<Void> ping(RedisConnections servers) {
        return CompletableFuture.allOf(servers.nodes().stream()
                .map(server -> server.lane(RedisNode.Kind.METADATA)
                        .send(RedisCall.status("ping", Effect.READS, CommandType.PING, RedisCall.arguments()))
                        .toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public CompletionStage<MemoryUse> memory() {
        return memory.use();
    }

    @Override
    public void close() {
        connections.close();
        dataConnections.close();
    }
}
