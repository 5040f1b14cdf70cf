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
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
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
 * old order.
 *
 * <p>Calls that are to be copied to replicas share one {@code WAIT} behind them, which speaks for all writes of this
 * connection before it. Until it is answered the next ones gather, so that its cost is one round trip for all of them.
 * Thread-safe.
 */
final class RedisLane implements NettyCustomizer, RedisRoute {

    /** What a lane can't settle by itself; called by the driver's threads. */
    interface Events {

        /** Redis did nothing and named another node for a call, by {@code MOVED} or {@code ASK}. */
        void redirected(RedisCall<?> call, String error);

        /** The server takes no writes: it is a replica now. */
        void demoted();

        /** Why the server can't be reached, as far as that is known. */
        @Nullable
        String outage();
    }

    private static final Logger LOG = LoggerFactory.getLogger(RedisLane.class);

    private final String name;
    private final int maxPending;
    private final long longestWaitMilliseconds;
    private final Events events;
    private final Queue<RedisCall<?>> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean drainScheduled = new AtomicBoolean();
    private final AtomicInteger pending = new AtomicInteger();
    private final Deque<Attempt<?>> inFlight = new ArrayDeque<>(); // guarded by this
    private final Deque<RedisCall<?>> unknown = new ArrayDeque<>(); // guarded by this
    private final Deque<RedisCall<?>> held = new ArrayDeque<>(); // guarded by this
    private boolean reloading; // guarded by this
    private int waits; // guarded by this
    private long lastSettledNanos = System.nanoTime(); // guarded by this
    private volatile @Nullable Channel channel;
    private volatile @Nullable StatefulRedisConnection<String, String> connection;

    /**
     * A lane without a connection yet.
     *
     * @param longestWaitMilliseconds how long replicas have to take over what is to be copied to them
     */
    RedisLane(String name, int maxPending, long longestWaitMilliseconds, Events events) {
        this.name = name;
        this.maxPending = maxPending;
        this.longestWaitMilliseconds = longestWaitMilliseconds;
        this.events = events;
    }

    @Override
    public void afterChannelInitialized(Channel initialized) {
        channel = initialized;
    }

    void connected(StatefulRedisConnection<String, String> opened) {
        connection = opened;
    }

    /** Whether a connection was made once; the driver then makes it again by itself. */
    boolean isOpen() {
        return connection != null;
    }

    boolean isConnected() {
        Channel current = channel;
        return connection != null && current != null && current.isActive();
    }

    @Override
    public boolean keepsOrderAcrossSlots() {
        return true;
    }

    @Override
    public <T> CompletionStage<T> send(RedisCall<T> call) {
        Channel current = channel;
        if (connection == null || current == null || !current.isActive()) {
            call.fail(unavailable(call, noConnection()));
            return call.answer();
        }
        if (pending.incrementAndGet() > maxPending) {
            pending.decrementAndGet();
            call.fail(unavailable(call, maxPending + " calls are waiting for answers already"));
            return call.answer();
        }
        waiting.add(call);
        scheduleDrain(current);
        return call.answer();
    }

    private String noConnection() {
        String outage = events.outage();
        return "there is no connection to Redis at the moment" + (outage == null ? "" : " (" + outage + ")");
    }

    private void scheduleDrain(Channel current) {
        if (drainScheduled.compareAndSet(false, true)) {
            try {
                current.eventLoop().execute(this::drain);
            } catch (RejectedExecutionException e) {
                failWaiting("the store is closed");
            }
        }
    }

    private void drain() {
        drainScheduled.set(false);
        List<Attempt<?>> batch = new ArrayList<>();
        synchronized (this) {
            if (waits > 0) {
                return;
            }
            RedisCall<?> call;
            while ((call = waiting.poll()) != null) {
                if (reloading) {
                    held.add(call);
                } else {
                    begin(call, batch);
                }
            }
            awaitCopies(batch);
        }
        dispatch(batch);
    }

    private void begin(RedisCall<?> call, List<Attempt<?>> batch) {
        if (call.isAsking()) {
            pending.incrementAndGet();
            add(RedisCall.status("asking", Effect.READS, CommandType.ASKING, RedisCall.arguments()), batch);
        }
        add(call, batch);
    }

    private void add(RedisCall<?> call, List<Attempt<?>> batch) {
        Attempt<?> attempt = call.attempt(this);
        inFlight.add(attempt);
        batch.add(attempt);
    }

    /** Puts one {@code WAIT} behind the calls of a flush for each number of copies, the smallest first. */
    private void awaitCopies(List<Attempt<?>> batch) {
        Map<Integer, List<Attempt<?>>> groups = new TreeMap<>();
        for (Attempt<?> attempt : batch) {
            if (attempt.call().replicas() > 0) {
                groups.computeIfAbsent(attempt.call().replicas(), none -> new ArrayList<>())
                        .add(attempt);
            }
        }
        groups.forEach((replicas, group) -> {
            RedisCall<Long> wait = RedisCall.number(
                    "wait for " + replicas + " replicas",
                    Effect.READS,
                    CommandType.WAIT,
                    RedisCall.arguments().add(replicas).add(longestWaitMilliseconds));
            var unused = wait.answer().whenComplete((copies, failure) -> copied(group, copies, failure));
            waits++;
            pending.incrementAndGet();
            add(wait, batch);
        });
    }

    private void copied(List<Attempt<?>> group, @Nullable Long copies, @Nullable Throwable failure) {
        synchronized (this) {
            waits--;
        }
        for (Attempt<?> attempt : group) {
            // What is sent again has a WAIT of its own behind it.
            if (!attempt.isRepeated()) {
                if (copies != null) {
                    attempt.call().copies().complete(copies);
                } else {
                    attempt.call()
                            .copies()
                            .completeExceptionally(new StoreException(
                                    Kind.OUTCOME_UNKNOWN,
                                    attempt.call().name() + ": carried out, and nobody tells whether replicas have it",
                                    Objects.requireNonNull(failure)));
                }
            }
        }
        Channel current = channel;
        if (current != null && !waiting.isEmpty()) {
            scheduleDrain(current);
        }
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
        String error = attempt.error();
        boolean repeat = attempt.call().mayBeRepeated() && DriverFailures.isMissingScript(error);
        boolean redirect = attempt.call().mayBeRepeated() && DriverFailures.isRedirection(error);
        List<Attempt<?>> next = new ArrayList<>(0);
        synchronized (this) {
            lastSettledNanos = System.nanoTime();
            inFlight.remove(attempt);
            if (repeat || redirect) {
                attempt.setRepeated();
            }
            if (repeat) {
                // Answers come in order, so these precede whatever has been held back since.
                reloading = true;
                unknown.add(attempt.call());
            }
            if (reloading && inFlight.isEmpty()) {
                reloading = false;
                loadScripts(next);
                repeatHeld(next);
                awaitCopies(next);
            }
        }
        dispatch(next);
        if (DriverFailures.isOfReplica(error)) {
            events.demoted();
        }
        if (!repeat) {
            pending.decrementAndGet();
            if (redirect) {
                events.redirected(attempt.call(), Objects.requireNonNull(error));
            } else {
                attempt.publish();
            }
        }
    }

    private void loadScripts(List<Attempt<?>> next) {
        LOG.atInfo().addKeyValue("connection", name).log("Redis does not know the scripts, loading them");
        for (Script script : Script.values()) {
            pending.incrementAndGet();
            add(loading(script), next);
        }
    }

    private void repeatHeld(List<Attempt<?>> next) {
        for (Deque<RedisCall<?>> queue : List.of(unknown, held)) {
            RedisCall<?> call;
            while ((call = queue.poll()) != null) {
                begin(call, next);
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

    /** Whether a call has waited so long and no other was answered meanwhile. A long queue that moves is load, not silence. */
    private synchronized boolean isSilent(long nanos) {
        Attempt<?> oldest = inFlight.peek();
        long now = System.nanoTime();
        return oldest != null && now - oldest.startNanos() > nanos && now - lastSettledNanos > nanos;
    }

    /** The same of calls that wait for nothing but the server. */
    synchronized boolean isHanging(long nanos) {
        return waits == 0 && isSilent(nanos);
    }

    /** Drops the connection when it is silent for longer than allowed; the calls under way fail, a new connection is made. */
    void dropWhenOverdue(long timeoutNanos) {
        boolean overdue = isSilent(timeoutNanos);
        if (overdue) {
            LOG.atWarn()
                    .addKeyValue("connection", name)
                    .addKeyValue("timeoutMilliseconds", timeoutNanos / 1_000_000)
                    .log("Redis does not answer in time, dropping the connection");
            drop();
        }
    }

    /** Ends the connection; the driver makes another. */
    void drop() {
        Channel current = channel;
        if (current != null) {
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
