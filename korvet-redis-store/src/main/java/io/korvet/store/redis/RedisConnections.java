package io.korvet.store.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
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
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The connections of a store (three for calls, and those that only listen), the threads they share, and the watch over calls that get no answer. */
final class RedisConnections {

    private static final Duration FIRST_RECONNECT = Duration.ofMillis(20);
    private static final Duration LONGEST_RECONNECT = Duration.ofSeconds(2);
    private static final long LONGEST_SWEEP_MILLISECONDS = 1_000;

    private final RedisStoreOptions options;
    private final EventLoopGroupProvider eventLoops;
    private final ClientResources resources;
    private final RedisLane appends;
    private final RedisLane reads;
    private final RedisLane metadata;
    private final List<RedisClient> clients = new CopyOnWriteArrayList<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ScheduledFuture<?> sweep;

    /** Over event loops of the caller's, or for {@code null} over {@link RedisStoreOptions#ioThreads()} of its own. */
    RedisConnections(RedisStoreOptions options, @Nullable EventLoopGroup shared) {
        this.options = options;
        eventLoops =
                shared == null ? new DefaultEventLoopGroupProvider(options.ioThreads()) : new SharedEventLoops(shared);
        resources = DefaultClientResources.builder()
                .eventLoopGroupProvider(eventLoops)
                .computationThreadPoolSize(2)
                .reconnectDelay(Delay.exponential(FIRST_RECONNECT, LONGEST_RECONNECT, 2, TimeUnit.MILLISECONDS))
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .build();
        appends = new RedisLane("appends", options.maxPendingCalls());
        reads = new RedisLane("reads", options.maxPendingCalls());
        metadata = new RedisLane("metadata", options.maxPendingCalls());
        long timeout = options.commandTimeout().toMillis();
        long period = Math.max(1, Math.min(LONGEST_SWEEP_MILLISECONDS, timeout / 4));
        sweep = resources
                .eventExecutorGroup()
                .scheduleWithFixedDelay(this::dropOverdue, period, period, TimeUnit.MILLISECONDS);
    }

    RedisLane appends() {
        return appends;
    }

    RedisLane reads() {
        return reads;
    }

    RedisLane metadata() {
        return metadata;
    }

    private List<RedisLane> lanes() {
        return List.of(appends, reads, metadata);
    }

    /** Connects all lanes. */
    CompletionStage<Void> open() {
        CompletableFuture<?>[] connected = lanes().stream().map(this::connect).toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(connected);
    }

    private CompletableFuture<Void> connect(RedisLane lane) {
        return client(lane)
                .connectAsync(StringCodec.UTF8, options.redisUri())
                .thenAccept(lane::connected)
                .toCompletableFuture();
    }

    /** Opens a connection for subscriptions, to the node of the broker registry; it ends with the others. */
    CompletionStage<StatefulRedisPubSubConnection<String, String>> listen(NettyCustomizer customizer) {
        RedisClient client = client(customizer);
        return client.connectPubSubAsync(StringCodec.UTF8, options.redisUri()).whenComplete((opened, failure) -> {
            if (failure != null && clients.remove(client)) {
                var unused = client.shutdownAsync(0, 1, TimeUnit.SECONDS);
            }
        });
    }

    private RedisClient client(NettyCustomizer customizer) {
        RedisClient client = RedisClient.create(resources
                .mutate()
                .eventLoopGroupProvider(eventLoops)
                .nettyCustomizer(customizer)
                .build());
        client.setOptions(clientOptions());
        clients.add(client);
        return client;
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

    /** Loads all scripts into the server. */
    CompletionStage<Void> loadScripts() {
        CompletableFuture<?>[] loaded = Arrays.stream(Script.values())
                .map(script -> metadata.send(RedisLane.loading(script)).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(loaded);
    }

    private void dropOverdue() {
        long timeoutNanos = options.commandTimeout().toNanos();
        lanes().forEach(lane -> lane.dropWhenOverdue(timeoutNanos));
    }

    /** Ends connections and threads without waiting for them; calls under way fail. */
    void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        sweep.cancel(false);
        CompletableFuture<?>[] ended = clients.stream()
                .map(client -> client.shutdownAsync(0, 1, TimeUnit.SECONDS))
                .toArray(CompletableFuture<?>[]::new);
        var unused = CompletableFuture.allOf(ended).whenComplete((done, failure) -> endThreads());
    }

    private void endThreads() {
        lanes().forEach(lane -> lane.failWaiting("the store is closed"));
        var unusedResources = resources.shutdown(0, 1, TimeUnit.SECONDS);
        var unusedThreads = eventLoops.shutdown(0, 1, TimeUnit.SECONDS);
    }
}
