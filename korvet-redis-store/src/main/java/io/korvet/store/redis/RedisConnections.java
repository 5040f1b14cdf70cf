package io.korvet.store.redis;

import io.korvet.store.redis.RedisNode.Kind;
import io.korvet.store.redis.RedisStoreOptions.Topology;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one Redis, be it a server or a cluster (those for calls, and those that only listen), the threads they
 * share, and the watch over calls that get no answer.
 */
final class RedisConnections {

    private static final Duration FIRST_RECONNECT = Duration.ofMillis(20);
    private static final Duration LONGEST_RECONNECT = Duration.ofSeconds(2);
    private static final long LONGEST_SWEEP_MILLISECONDS = 1_000;

    private final RedisStoreOptions options;
    private final Set<Kind> kinds;
    private final EventLoopGroupProvider eventLoops;
    private final ClientResources resources;
    private final @Nullable RedisNode single;
    private final @Nullable RedisClusterNodes cluster;
    private final Map<NettyCustomizer, RedisClient> listeners = new ConcurrentHashMap<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ScheduledFuture<?> sweep;

    /**
     * Connections that are not made yet.
     *
     * @param kinds what they are for
     * @param shared event loops of the caller's, {@code null} for {@link RedisStoreOptions#ioThreads()} of their own
     */
    RedisConnections(RedisStoreOptions options, Set<Kind> kinds, @Nullable EventLoopGroup shared) {
        this.options = options;
        this.kinds = kinds;
        eventLoops =
                shared == null ? new DefaultEventLoopGroupProvider(options.ioThreads()) : new SharedEventLoops(shared);
        resources = DefaultClientResources.builder()
                .eventLoopGroupProvider(eventLoops)
                .computationThreadPoolSize(2)
                .reconnectDelay(Delay.exponential(FIRST_RECONNECT, LONGEST_RECONNECT, 2, TimeUnit.MILLISECONDS))
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .build();
        List<RedisURI> servers = options.redisUris();
        if (options.topology() == Topology.CLUSTER) {
            single = null;
            cluster = new RedisClusterNodes(servers, resources, this::node);
        } else {
            single =
                    node(servers.get(0), (kind, call, error) -> call.fail(DriverFailures.answered(error, call.name())));
            cluster = null;
        }
        long timeout = options.commandTimeout().toMillis();
        long period = Math.max(1, Math.min(LONGEST_SWEEP_MILLISECONDS, timeout / 4));
        sweep = resources
                .eventExecutorGroup()
                .scheduleWithFixedDelay(this::dropOverdue, period, period, TimeUnit.MILLISECONDS);
    }

    private RedisNode node(RedisURI uri, RedisNode.Redirections redirections) {
        return new RedisNode(uri, options, kinds, this::client, redirections);
    }

    /** A client with resources of its own, which know that all in them belongs to others; {@link #end} ends both. */
    private RedisClient client(NettyCustomizer customizer, Consumer<Throwable> unreachable) {
        RedisClient client = RedisClient.create(resources
                .mutate()
                .eventLoopGroupProvider(eventLoops)
                .eventExecutorGroup(resources.eventExecutorGroup())
                .timer(resources.timer())
                .nettyCustomizer(customizer)
                .eventBus(new ReconnectFailures(resources.eventBus(), unreachable))
                .build());
        client.setOptions(clientOptions());
        return client;
    }

    /** Opens a connection for subscriptions, to the node that has a key's slot now; it ends with the others. */
    CompletionStage<StatefulRedisPubSubConnection<String, String>> listen(NettyCustomizer customizer, String key) {
        return listeners
                // The calls' connections to the same server tell of an outage.
                .computeIfAbsent(customizer, missing -> client(missing, failure -> {}))
                .connectPubSubAsync(StringCodec.UTF8, cluster != null ? cluster.uriOf(key) : only().uri());
    }

    /** Whether what a key belongs to may have moved to another node when a connection is lost. */
    boolean isCluster() {
        return cluster != null;
    }

    /** The way for calls of a kind. */
    RedisRoute route(Kind kind) {
        return cluster != null ? cluster.route(kind) : only().lane(kind);
    }

    /** The servers that take writes, as known now. */
    Collection<RedisNode> nodes() {
        return cluster != null ? cluster.nodes() : List.of(only());
    }

    private RedisNode only() {
        return Objects.requireNonNull(single);
    }

    /** Connects and loads the scripts. */
    CompletionStage<Void> open() {
        return cluster != null ? cluster.open() : only().open();
    }

    /**
     * Nothing is sent twice and nothing waits for a connection: what is under way when a connection is lost fails, what
     * comes while there is none is refused. The driver's timers are off, the sweep does their work.
     */
    private ClientOptions clientOptions() {
        return ClientOptions.builder()
                .protocolVersion(ProtocolVersion.RESP2)
                .autoReconnect(true)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .replayFilter(command -> true)
                .requestQueueSize(Integer.MAX_VALUE)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(options.commandTimeout())
                        .keepAlive(true)
                        .tcpNoDelay(true)
                        .build())
                .build();
    }

    /** Whether an answer that is waited for since then should be there. */
    boolean isOverdue(long sinceNanos) {
        return System.nanoTime() - sinceNanos > options.commandTimeout().toNanos();
    }

    private void dropOverdue() {
        long timeoutNanos = options.commandTimeout().toNanos();
        nodes().forEach(node -> node.lanes().forEach(lane -> lane.dropWhenOverdue(timeoutNanos)));
        if (cluster != null) {
            cluster.refreshWhenHanging();
        }
    }

    /** Ends connections and threads without waiting for them; calls under way fail. */
    void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        sweep.cancel(false);
        List<CompletableFuture<?>> ended = new ArrayList<>();
        listeners.values().forEach(client -> ended.add(end(client)));
        ended.add((cluster != null ? cluster.close() : only().close()).toCompletableFuture());
        var unused = CompletableFuture.allOf(ended.toArray(CompletableFuture<?>[]::new))
                .whenComplete((done, failure) -> endThreads());
    }

    /** Ends a client's connections, then its resources, which complain when they are collected without that. */
    static CompletableFuture<Void> end(RedisClient client) {
        return client.shutdownAsync(0, 1, TimeUnit.SECONDS).whenComplete((done, failure) -> {
            var unused = client.getResources().shutdown(0, 1, TimeUnit.SECONDS);
        });
    }

    private void endThreads() {
        var unusedResources = resources.shutdown(0, 1, TimeUnit.SECONDS);
        var unusedThreads = eventLoops.shutdown(0, 1, TimeUnit.SECONDS);
    }
}
