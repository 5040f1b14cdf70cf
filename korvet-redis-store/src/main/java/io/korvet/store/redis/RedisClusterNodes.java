package io.korvet.store.redis;

import io.korvet.store.StoreException;
import io.korvet.store.StoreException.Kind;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The masters of a Redis Cluster and which of them has which slot.
 *
 * <p>A call goes to the node that has the slot of its first key, in the order of the calls on that node's connection. A
 * node that says it hasn't the slot did nothing: the call is sent to the one it names, a few times at the most. Whatever
 * else goes wrong fails the call, and has the topology read again. Thread-safe.
 */
final class RedisClusterNodes {

    private static final Logger LOG = LoggerFactory.getLogger(RedisClusterNodes.class);
    private static final long REFRESH_SECONDS = 10;
    private static final long SHORTEST_REFRESH_MILLISECONDS = 200;
    private static final long HANGING_NANOSECONDS = TimeUnit.SECONDS.toNanos(1);
    private static final Duration LONGEST_READ = Duration.ofSeconds(2);

    private final BiFunction<RedisURI, RedisNode.Redirections, RedisNode> connector;
    private final RedisURI seed;
    private final ClientResources resources;
    private final Reader reader;
    private final Map<String, RedisNode> nodes = new HashMap<>(); // guarded by this
    private final AtomicReferenceArray<@Nullable RedisNode> slots = new AtomicReferenceArray<>(SlotHash.SLOT_COUNT);
    private volatile List<RedisNode> masters = List.of();
    private volatile boolean opened;
    private @Nullable ScheduledFuture<?> next; // guarded by this
    private boolean soon; // guarded by this
    private boolean closed; // guarded by this

    RedisClusterNodes(
            List<RedisURI> seeds,
            ClientResources resources,
            BiFunction<RedisURI, RedisNode.Redirections, RedisNode> connector) {
        this.connector = connector;
        this.resources = resources;
        seed = seeds.get(0);
        reader = new Reader(resources, seeds);
    }

    /**
     * Reads the topology from the nodes that are known and takes the view that most of them share; doesn't wait long for
     * one that doesn't answer, which may be the one that was replaced.
     */
    private static final class Reader extends RedisClusterClient {
        Reader(ClientResources resources, List<RedisURI> seeds) {
            super(resources, seeds.stream().map(Reader::impatient).toList());
            setOptions(ClusterClientOptions.builder()
                    .protocolVersion(ProtocolVersion.RESP2)
                    .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                    .socketOptions(
                            SocketOptions.builder().connectTimeout(LONGEST_READ).build())
                    .build());
        }

        private static RedisURI impatient(RedisURI uri) {
            return uri.getTimeout().compareTo(LONGEST_READ) <= 0
                    ? uri
                    : RedisURI.builder(uri).withTimeout(LONGEST_READ).build();
        }

        CompletableFuture<Partitions> read() {
            return loadPartitionsAsync().thenApply(found -> {
                setPartitions(found);
                return found;
            });
        }
    }

    /**
     * Reads the topology and connects to all masters. Once it is read the cluster is there; fails with a {@link
     * io.korvet.store.StoreNotReadyException} while a master is away or slots are not served.
     */
    CompletionStage<Void> open() {
        return reader.read()
                .thenCompose(found -> adopt(found)
                        .thenCompose(connected -> checkServed())
                        .exceptionallyCompose(
                                failure -> CompletableFuture.failedStage(DriverFailures.unready(failure))))
                .whenComplete((done, failure) -> {
                    opened = failure == null;
                    schedule(TimeUnit.SECONDS.toMillis(REFRESH_SECONDS));
                });
    }

    /** Fails unless all masters say that they serve. */
    private CompletionStage<Void> checkServed() {
        if (masters.isEmpty()) {
            return CompletableFuture.failedStage(
                    new StoreException(Kind.UNAVAILABLE, "no node of the cluster has slots"));
        }
        return CompletableFuture.allOf(masters.stream()
                .map(node -> node.lane(RedisNode.Kind.METADATA)
                        .send(RedisCall.text(
                                "state of the cluster",
                                RedisCall.Effect.READS,
                                CommandType.CLUSTER,
                                RedisCall.arguments().add("INFO")))
                        .thenAccept(info -> {
                            if (info == null || !info.contains("cluster_state:ok")) {
                                throw new StoreException(
                                        Kind.UNAVAILABLE, node + " says that not all slots of the cluster are served");
                            }
                        })
                        .toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
    }

    Collection<RedisNode> nodes() {
        return masters;
    }

    /** The address of the node that has a key's slot, as known now. */
    RedisURI uriOf(String key) {
        RedisNode node = slots.get(SlotHash.getSlot(key));
        return node == null ? seed : node.uri();
    }

    /** The way of calls of a kind. */
    RedisRoute route(RedisNode.Kind kind) {
        return new RedisRoute() {
            @Override
            public <T> CompletionStage<T> send(RedisCall<T> call) {
                int slot = call.slot();
                forward(kind, call, slot < 0 ? masters.stream().findFirst().orElse(null) : slots.get(slot));
                return call.answer();
            }

            @Override
            public boolean keepsOrderAcrossSlots() {
                return false;
            }
        };
    }

    private void forward(RedisNode.Kind kind, RedisCall<?> call, @Nullable RedisNode node) {
        if (node == null || !node.lane(kind).isConnected()) {
            refreshSoon();
        }
        if (node == null) {
            call.fail(new StoreException(
                    Kind.UNAVAILABLE, call.name() + ": no known node of the cluster has slot " + call.slot()));
        } else {
            var unused = node.lane(kind).send(call);
        }
    }

    /** Sends a call on to the node that an error names; {@code MOVED slot host:port} or {@code ASK slot host:port}. */
    private void redirected(RedisNode.Kind kind, RedisCall<?> call, String error) {
        String[] words = error.split(" ", -1);
        int colon = words.length < 3 ? -1 : words[2].lastIndexOf(':');
        boolean moved = words[0].equals("MOVED");
        if (moved) {
            refreshSoon();
        }
        if (colon < 1) {
            call.fail(DriverFailures.answered(error, call.name()));
            return;
        }
        RedisNode node = node(words[2].substring(0, colon), Integer.parseInt(words[2].substring(colon + 1)));
        if (moved) {
            slots.set(Integer.parseInt(words[1]), node);
        }
        call.setAsking(!moved);
        forward(kind, call, node);
    }

    private synchronized RedisNode node(String host, int port) {
        return nodes.computeIfAbsent(host + ":" + port, address -> {
            RedisNode made = connector.apply(
                    RedisURI.builder(seed).withHost(host).withPort(port).build(), this::redirected);
            if (!closed) {
                var unused = made.open().whenComplete((done, failure) -> tellUnlessOpen(address, failure));
            }
            return made;
        });
    }

    /** A failure while the cluster is opened is told by whoever opens it. */
    private void tellUnlessOpen(String address, @Nullable Throwable failure) {
        if (failure != null && opened) {
            LOG.atWarn()
                    .addKeyValue("node", address)
                    .log("a node of the cluster can't be used: {}", failure.getMessage());
        }
    }

    /** Takes over a topology; completes when its masters are connected. */
    private CompletionStage<Void> adopt(Partitions found) {
        List<RedisNode> present = new ArrayList<>();
        for (RedisClusterNode member : found.getPartitions()) {
            if (member.getRole().isUpstream() && !member.hasNoSlots()) {
                RedisNode node = node(member.getUri().getHost(), member.getUri().getPort());
                present.add(node);
                member.forEachSlot(slot -> slots.set(slot, node));
            }
        }
        List<RedisNode> gone = new ArrayList<>();
        synchronized (this) {
            masters = List.copyOf(present);
            nodes.values().removeIf(node -> !present.contains(node) && !isNamed(node) && gone.add(node));
        }
        gone.forEach(node -> {
            var unused = node.close();
        });
        return CompletableFuture.allOf(
                present.stream().map(node -> node.open().toCompletableFuture()).toArray(CompletableFuture<?>[]::new));
    }

    /** Whether a redirection named a node that the topology just read does not know as a master. */
    private boolean isNamed(RedisNode node) {
        for (int slot = 0; slot < slots.length(); slot++) {
            if (slots.get(slot) == node) {
                return true;
            }
        }
        return false;
    }

    /** A master that stands still, or whose machine is gone, may have been replaced long before its connections time out. */
    void refreshWhenHanging() {
        if (masters.stream()
                .anyMatch(node -> node.lanes().stream().anyMatch(lane -> lane.isHanging(HANGING_NANOSECONDS)))) {
            refreshSoon();
        }
    }

    /** Has the topology read again now, or a moment after it was read last. */
    private void refreshSoon() {
        synchronized (this) {
            if (!soon) {
                soon = true;
                schedule(SHORTEST_REFRESH_MILLISECONDS);
            }
        }
    }

    private synchronized void schedule(long milliseconds) {
        if (closed) {
            return;
        }
        if (next != null) {
            next.cancel(false);
        }
        next = resources.eventExecutorGroup().schedule(this::refresh, milliseconds, TimeUnit.MILLISECONDS);
    }

    private void refresh() {
        synchronized (this) {
            soon = true;
        }
        var unused = reader.read().whenComplete((found, failure) -> {
            if (failure == null) {
                var unusedConnecting = adopt(found);
            } else {
                LOG.warn("the cluster's topology can't be read: {}", failure.getMessage());
            }
            synchronized (this) {
                soon = false;
                schedule(TimeUnit.SECONDS.toMillis(REFRESH_SECONDS));
            }
        });
    }

    /** Ends all connections. */
    CompletionStage<Void> close() {
        List<CompletableFuture<Void>> ended = new ArrayList<>();
        synchronized (this) {
            closed = true;
            if (next != null) {
                next.cancel(false);
            }
            nodes.values().forEach(node -> ended.add(node.close()));
        }
        ended.add(reader.shutdownAsync(0, 1, TimeUnit.SECONDS));
        return CompletableFuture.allOf(ended.toArray(CompletableFuture<?>[]::new));
    }
}
