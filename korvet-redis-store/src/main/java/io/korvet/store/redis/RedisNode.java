package io.korvet.store.redis;

import io.korvet.store.redis.RedisLane.Events;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.NettyCustomizer;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One server and its connections, one for each kind of calls. Thread-safe. */
final class RedisNode {

    /** Kinds of calls, each with a connection of its own so that none holds up another. */
    enum Kind {
        /** Appends. */
        APPENDS,
        /** Appends that wait for replicas, and the waiting. */
        COPIED_APPENDS,
        /** Reads of entries. */
        READS,
        /** Everything else. */
        METADATA
    }

    private final RedisURI uri;
    private final Driver driver;
    private final RedisOutage outage;
    private final Map<Kind, RedisLane> lanes = new EnumMap<>(Kind.class);
    private final Map<Kind, RedisClient> clients = new EnumMap<>(Kind.class); // guarded by this
    private @Nullable CompletableFuture<Void> opening; // guarded by this
    private boolean closed; // guarded by this

    /**
     * A server that nothing is connected to yet.
     *
     * @param driver makes the driver's client for one connection
     * @param redirected takes calls that another node of the cluster is to carry out
     */
    RedisNode(RedisURI uri, RedisStoreOptions options, Set<Kind> kinds, Driver driver, Redirections redirected) {
        this.uri = uri;
        this.driver = driver;
        outage = new RedisOutage(toString());
        for (Kind kind : kinds) {
            String name = kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
            lanes.put(
                    kind,
                    new RedisLane(
                            name,
                            options.maxPendingCalls(),
                            options.longestWaitMilliseconds(),
                            new LaneEvents(kind, redirected)));
        }
    }

    /** Makes the driver's client for one connection. */
    @FunctionalInterface
    interface Driver {

        /**
         * Makes a client.
         *
         * @param unreachable hears why a connection that was lost can't be made again, by the driver's threads
         */
        RedisClient client(NettyCustomizer customizer, Consumer<Throwable> unreachable);
    }

    /** Takes a call that did nothing and the error that names another node for it. */
    interface Redirections {
        void redirected(Kind kind, RedisCall<?> call, String error);
    }

    private final class LaneEvents implements Events {
        private final Kind kind;
        private final Redirections redirections;

        LaneEvents(Kind kind, Redirections redirections) {
            this.kind = kind;
            this.redirections = redirections;
        }

        @Override
        public void redirected(RedisCall<?> call, String error) {
            redirections.redirected(kind, call, error);
        }

        @Override
        public void demoted() {
            // Made again, the connections lead to the master that there is now.
            lanes.values().forEach(RedisLane::drop);
        }

        @Override
        public @Nullable String outage() {
            return outage.reason();
        }
    }

    /** The connection for a kind of calls. */
    RedisLane lane(Kind kind) {
        return Objects.requireNonNull(lanes.get(kind), "no connection for " + kind);
    }

    RedisURI uri() {
        return uri;
    }

    Collection<RedisLane> lanes() {
        return lanes.values();
    }

    /** Connects what is not connected and loads the scripts; when that failed it may be called again. */
    synchronized CompletionStage<Void> open() {
        CompletableFuture<Void> known = opening;
        if (known == null || known.isCompletedExceptionally()) {
            known = CompletableFuture.allOf(lanes.keySet().stream()
                            .filter(kind -> !lane(kind).isOpen())
                            .map(this::connect)
                            .toArray(CompletableFuture<?>[]::new))
                    .thenCompose(connected -> loadScripts());
            opening = known;
        }
        return known;
    }

    private CompletableFuture<Void> connect(Kind kind) {
        if (closed) {
            return CompletableFuture.failedFuture(new IllegalStateException("closed"));
        }
        return clients.computeIfAbsent(
                        kind, missing -> driver.client(lane(missing), failure -> outage.failed(missing, failure)))
                .connectAsync(StringCodec.UTF8, uri)
                .thenAccept(opened -> connected(kind, opened))
                .toCompletableFuture();
    }

    private void connected(Kind kind, StatefulRedisConnection<String, String> opened) {
        opened.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
                outage.connected(kind);
            }

            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                outage.disconnected(kind);
            }
        });
        lane(kind).connected(opened);
    }

    /** One after the other, so that they need no more of the bound on calls than one. */
    private CompletionStage<Void> loadScripts() {
        RedisLane lane = lane(Kind.METADATA);
        CompletionStage<Void> loaded = CompletableFuture.completedStage(null);
        for (Script script : Script.values()) {
            loaded = loaded.thenCompose(before -> lane.send(RedisLane.loading(script)))
                    .thenAccept(done -> {});
        }
        return loaded;
    }

    /** Ends the connections without waiting for it; calls under way fail. */
    CompletableFuture<Void> close() {
        List<CompletableFuture<Void>> ended = new ArrayList<>();
        synchronized (this) {
            closed = true;
            clients.values().forEach(client -> ended.add(RedisConnections.end(client)));
        }
        return CompletableFuture.allOf(ended.toArray(CompletableFuture<?>[]::new))
                .whenComplete((done, failure) ->
                        lanes.values().forEach(lane -> lane.failWaiting("the connection is closed")));
    }

    @Override
    public String toString() {
        return uri.getSentinels().isEmpty()
                ? uri.getHost() + ":" + uri.getPort()
                : "master " + uri.getSentinelMasterId() + " of the sentinels";
    }
}
