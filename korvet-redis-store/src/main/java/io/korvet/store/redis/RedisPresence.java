package io.korvet.store.redis;

import io.korvet.store.LifeSigns;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A subscription of a channel on which nothing is sent; the driver makes connection and subscription anew. */
final class RedisPresence implements LifeSigns.Presence, NettyCustomizer {

    private static final Logger LOG = LoggerFactory.getLogger(RedisPresence.class);

    private final RedisConnections connections;
    private final String name;
    private final AtomicLong attempts = new AtomicLong();
    private final AtomicBoolean connecting = new AtomicBoolean();
    private volatile @Nullable Channel channel;
    private volatile @Nullable StatefulRedisPubSubConnection<String, String> connection;
    private volatile long connectingSinceNanos;
    private volatile boolean subscribed;
    private volatile boolean warned;
    private volatile boolean closed;

    RedisPresence(RedisConnections connections, String name) {
        this.connections = connections;
        this.name = name;
    }

    @Override
    public void afterChannelInitialized(Channel initialized) {
        channel = initialized;
        attempts.incrementAndGet();
    }

    /** Connects and subscribes, unless that is under way. */
    void connect() {
        if (closed || !connecting.compareAndSet(false, true)) {
            return;
        }
        connectingSinceNanos = System.nanoTime();
        var unused = opened().thenCompose(opened -> opened.async().subscribe(name))
                .whenComplete((done, failure) -> {
                    subscribed = failure == null;
                    connecting.set(false);
                    if (closed) {
                        end();
                    } else if (failure != null && !warned) {
                        warned = true;
                        LOG.atWarn()
                                .addKeyValue("channel", name)
                                .addKeyValue("reason", DriverFailures.reason(failure))
                                .log("a channel of Redis can't be subscribed to, so the death of this broker would be"
                                        + " noticed later; it is tried again");
                    }
                });
    }

    private CompletionStage<StatefulRedisPubSubConnection<String, String>> opened() {
        StatefulRedisPubSubConnection<String, String> present = connection;
        return present != null
                ? CompletableFuture.completedStage(present)
                : connections.listen(this, name).thenApply(opened -> {
                    connection = opened;
                    return opened;
                });
    }

    @Override
    public long attempts() {
        return attempts.get();
    }

    @Override
    public void renew() {
        Channel current = channel;
        if (!subscribed) {
            if (current != null && connecting.get() && connections.isOverdue(connectingSinceNanos)) {
                var unused = current.close();
            }
            connect();
        } else if (connections.isCluster()) {
            // The driver would go on connecting to the node that had the slot.
            end();
            connection = null;
            subscribed = false;
            connect();
        } else if (current != null && current.isActive()) {
            var unused = current.close();
        }
    }

    @Override
    public void close() {
        closed = true;
        end();
    }

    private void end() {
        StatefulRedisPubSubConnection<String, String> present = connection;
        if (present != null) {
            var unused = present.closeAsync();
        }
    }
}
