package io.korvet.store.redis;

import io.korvet.store.StoreException;
import io.korvet.store.StoreException.Kind;
import io.korvet.store.redis.RedisCall.Attempt;
import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to Redis that carries calls out in the order in which they were sent.
 *
 * <p>Calls are gathered and written by the connection's event loop, one flush for all that wait. While there is no
 * connection they fail at once; those under way when it is lost fail too and are never sent again. A call whose script
 * Redis does not know did nothing: it and all that came after it wait until the scripts are loaded, then go out in the
 * old order. Thread-safe.
 */
final class RedisLane implements NettyCustomizer {

    private static final Logger LOG = LoggerFactory.getLogger(RedisLane.class);

    private final String name;
    private final int maxPending;
    private final Queue<RedisCall<?>> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean drainScheduled = new AtomicBoolean();
    private final AtomicInteger pending = new AtomicInteger();
    private final Deque<Attempt<?>> inFlight = new ArrayDeque<>(); // guarded by this
    private final Deque<RedisCall<?>> unknown = new ArrayDeque<>(); // guarded by this
    private final Deque<RedisCall<?>> held = new ArrayDeque<>(); // guarded by this
    private boolean reloading; // guarded by this
    private long lastSettledNanos = System.nanoTime(); // guarded by this
    private volatile @Nullable Channel channel;
    private volatile @Nullable StatefulRedisConnection<String, String> connection;

    RedisLane(String name, int maxPending) {
        this.name = name;
        this.maxPending = maxPending;
    }

    @Override
    public void afterChannelInitialized(Channel initialized) {
        channel = initialized;
    }

    void connected(StatefulRedisConnection<String, String> opened) {
        connection = opened;
    }

    /** Sends a call; its answer is completed on the event loop. */
    <T> CompletionStage<T> send(RedisCall<T> call) {
        Channel current = channel;
        if (connection == null || current == null || !current.isActive()) {
            call.fail(unavailable(call, "there is no connection to Redis at the moment"));
            return call.answer();
        }
        if (pending.incrementAndGet() > maxPending) {
            pending.decrementAndGet();
            call.fail(unavailable(call, maxPending + " calls are waiting for answers already"));
            return call.answer();
        }
        waiting.add(call);
        if (drainScheduled.compareAndSet(false, true)) {
            try {
                current.eventLoop().execute(this::drain);
            } catch (RejectedExecutionException e) {
                failWaiting("the store is closed");
            }
        }
        return call.answer();
    }

    private void drain() {
        drainScheduled.set(false);
        List<Attempt<?>> batch = new ArrayList<>();
        synchronized (this) {
            RedisCall<?> call;
            while ((call = waiting.poll()) != null) {
                if (reloading) {
                    held.add(call);
                } else {
                    batch.add(begin(call));
                }
            }
        }
        dispatch(batch);
    }

    private Attempt<?> begin(RedisCall<?> call) {
        Attempt<?> attempt = call.attempt(this);
        inFlight.add(attempt);
        return attempt;
    }

    private void dispatch(List<Attempt<?>> batch) {
        StatefulRedisConnection<String, String> current = connection;
        if (current == null || batch.isEmpty()) {
            return;
        }
        if (batch.size() == 1) {
            current.dispatch(batch.get(0));
        } else {
            current.dispatch(batch);
        }
    }

    /** An attempt is over, one way or the other; called by the driver. */
    void settled(Attempt<?> attempt) {
        boolean repeat;
        List<Attempt<?>> next = new ArrayList<>(0);
        synchronized (this) {
            lastSettledNanos = System.nanoTime();
            inFlight.remove(attempt);
            repeat = attempt.missesScript() && attempt.call().mayBeRepeated();
            if (repeat) {
                // Answers come in order, so these precede whatever has been held back since.
                reloading = true;
                unknown.add(attempt.call());
            }
            if (reloading && inFlight.isEmpty()) {
                reloading = false;
                loadScripts(next);
                repeatHeld(next);
            }
        }
        dispatch(next);
        if (!repeat) {
            pending.decrementAndGet();
            attempt.publish();
        }
    }

    private void loadScripts(List<Attempt<?>> next) {
        LOG.atInfo().addKeyValue("connection", name).log("Redis does not know the scripts, loading them");
        for (Script script : Script.values()) {
            pending.incrementAndGet();
            next.add(begin(loading(script)));
        }
    }

    private void repeatHeld(List<Attempt<?>> next) {
        for (Deque<RedisCall<?>> queue : List.of(unknown, held)) {
            RedisCall<?> call;
            while ((call = queue.poll()) != null) {
                next.add(begin(call));
            }
        }
    }

    static RedisCall<@Nullable String> loading(Script script) {
        return RedisCall.text(
                "load script " + script,
                Effect.READS,
                CommandType.SCRIPT,
                RedisCall.arguments().add("LOAD").add(script.source()));
    }

    /**
     * Drops the connection when a call has waited longer than allowed and no other was answered meanwhile; the calls under way
     * fail, a new connection is made. A long queue that moves is load, not silence.
     */
    void dropWhenOverdue(long timeoutNanos) {
        boolean overdue;
        synchronized (this) {
            Attempt<?> oldest = inFlight.peek();
            long now = System.nanoTime();
            overdue =
                    oldest != null && now - oldest.startNanos() > timeoutNanos && now - lastSettledNanos > timeoutNanos;
        }
        Channel current = channel;
        if (overdue && current != null) {
            LOG.atWarn()
                    .addKeyValue("connection", name)
                    .addKeyValue("timeoutMilliseconds", timeoutNanos / 1_000_000)
                    .log("Redis does not answer in time, dropping the connection");
            var unused = current.close();
        }
    }

    /** Fails what was never handed to the driver; for the end of the store. */
    void failWaiting(String reason) {
        List<RedisCall<?>> dropped = new ArrayList<>();
        synchronized (this) {
            for (Queue<RedisCall<?>> queue : List.of(unknown, held, waiting)) {
                RedisCall<?> call;
                while ((call = queue.poll()) != null) {
                    dropped.add(call);
                }
            }
        }
        for (RedisCall<?> call : dropped) {
            pending.decrementAndGet();
            call.fail(unavailable(call, reason));
        }
    }

    private static StoreException unavailable(RedisCall<?> call, String reason) {
        return new StoreException(Kind.UNAVAILABLE, call.name() + ": " + reason);
    }
}
