package io.korvet.store.redis;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.DeliveryGroups;
import io.korvet.store.EntryLog;
import io.korvet.store.HeartbeatTable;
import io.korvet.store.LeaseStore;
import io.korvet.store.LifeSigns;
import io.korvet.store.MemoryUse;
import io.korvet.store.SegmentCatalog;
import io.korvet.store.Sequences;
import io.korvet.store.Store;
import io.korvet.store.StoreException;
import io.korvet.store.StoreException.Kind;
import io.korvet.store.TopicCatalog;
import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandType;
import io.netty.channel.EventLoopGroup;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * The store on Redis 6.2 or later, Valkey included. Three connections: appends, reads and everything else, so that a long
 * read or a slow look-up delays no append.
 */
public final class RedisStore implements Store {

    private final RedisConnections connections;
    private final KeySchema keys;
    private final RedisEntryLog entries;
    private final RedisSegmentCatalog segments;
    private final RedisTopicCatalog topics;
    private final RedisCommittedOffsets commits;
    private final RedisDeliveryGroups deliveryGroups;
    private final RedisHeartbeatTable brokers;
    private final RedisLifeSigns lifeSigns;
    private final RedisHeartbeatTable facts;
    private final RedisHeartbeatTable removals;
    private final RedisLeaseStore leases;
    private final RedisSequences sequences;
    private final RedisAdvice advice;
    private final RedisMemory memory;

    private RedisStore(RedisConnections connections, KeySchema keys) {
        RedisLane metadata = connections.metadata();
        this.connections = connections;
        this.keys = keys;
        entries = new RedisEntryLog(keys, connections.appends(), connections.reads(), metadata);
        segments = new RedisSegmentCatalog(keys, metadata, entries);
        topics = new RedisTopicCatalog(keys, metadata);
        commits = new RedisCommittedOffsets(keys, metadata);
        deliveryGroups = new RedisDeliveryGroups(keys, metadata);
        brokers = new RedisHeartbeatTable(keys.brokers(), metadata);
        lifeSigns = new RedisLifeSigns(keys, connections);
        facts = new RedisHeartbeatTable(keys.facts(), metadata);
        removals = new RedisHeartbeatTable(keys.removals(), metadata);
        leases = new RedisLeaseStore(keys, metadata);
        sequences = new RedisSequences(keys, metadata);
        advice = new RedisAdvice(metadata);
        memory = new RedisMemory(metadata);
    }

    /**
     * Connects and loads the scripts; nothing is waited for on the calling thread.
     *
     * @return the store, to be closed by the caller; fails with a {@link StoreException} of kind UNAVAILABLE that names
     *     the server when it can't be reached, or REFUSED when it won't have us
     */
    public static CompletionStage<RedisStore> open(RedisStoreOptions options) {
        return open(options, new RedisConnections(options, null));
    }

    /**
     * The same on event loops of the caller's, so that a call from one of their threads, and its answer, may stay there.
     *
     * @param shared serves the connections instead of threads of the store's own; to be ended by the caller after the store
     */
    public static CompletionStage<RedisStore> open(RedisStoreOptions options, EventLoopGroup shared) {
        return open(options, new RedisConnections(options, shared));
    }

    private static CompletionStage<RedisStore> open(RedisStoreOptions options, RedisConnections connections) {
        RedisStore store = new RedisStore(connections, new KeySchema(options.namespace()));
        return connections
                .open()
                .thenCompose(connected -> connections.loadScripts())
                .handle((loaded, failure) -> {
                    if (failure == null) {
                        return CompletableFuture.completedStage(store);
                    }
                    store.close();
                    return CompletableFuture.<RedisStore>failedStage(cannotOpen(options, failure));
                })
                .thenCompose(opened -> opened);
    }

    private static StoreException cannotOpen(RedisStoreOptions options, Throwable failure) {
        Throwable cause = root(failure);
        Kind kind = failure instanceof StoreException known ? known.kind() : Kind.UNAVAILABLE;
        return new StoreException(
                kind,
                "Redis at " + options.safeUri() + " can't be used: " + cause.getMessage()
                        + ". Check that the server runs there, and user name, password and TLS in the URI.",
                failure);
    }

    private static Throwable root(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null
                && (cause instanceof CompletionException || cause.getCause().getMessage() != null)) {
            cause = cause.getCause();
        }
        return cause;
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

    /** The server's settings against those recommended for a log. */
    public RedisAdvice advice() {
        return advice;
    }

    @Override
    public CompletionStage<Void> ping() {
        return connections
                .metadata()
                .send(RedisCall.status("ping", Effect.READS, CommandType.PING, RedisCall.arguments()))
                .thenAccept(pong -> {});
    }

    @Override
    public CompletionStage<MemoryUse> memory() {
        return memory.use();
    }

    @Override
    public void close() {
        connections.close();
    }
}
