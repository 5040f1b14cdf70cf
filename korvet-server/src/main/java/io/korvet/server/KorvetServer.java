package io.korvet.server;

import io.korvet.cluster.BrokerNode;
import io.korvet.cluster.Endpoint;
import io.korvet.server.config.KorvetConfig;
import io.korvet.server.config.ListenerConfig;
import io.korvet.server.dispatch.Dispatcher;
import io.korvet.server.http.HttpServer;
import io.korvet.server.metrics.BrokerMeters;
import io.korvet.server.net.EventLoops;
import io.korvet.server.net.InFlightBudget;
import io.korvet.server.net.KafkaListener;
import io.korvet.server.net.NetOptions;
import io.korvet.store.Store;
import io.korvet.store.StoreException;
import io.korvet.store.redis.KeySchema;
import io.korvet.store.redis.RedisStore;
import io.korvet.tiering.ColdTier;
import io.korvet.tiering.iceberg.ArchiveSettings;
import io.korvet.tiering.iceberg.IcebergColdTier;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One Korvet process: broker, storage worker and HTTP, as its configuration says. Used once.
 *
 * <p>{@link #start()} and {@link #stop()} wait for what they begin, are idempotent and may be called from any thread that
 * is not one of the server's own.
 */
public final class KorvetServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(KorvetServer.class);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration TIME_TO_STOP = Duration.ofSeconds(20);

    /** Opens the cold tier over a store, blocking; fails with a {@link io.korvet.tiering.ColdTierException}. */
    @FunctionalInterface
    interface ColdTierOpener {
        ColdTier open(ArchiveSettings settings, Store store);
    }

    private final KorvetConfig config;
    private final RedisUse redisUse;
    private final ColdTierOpener coldTiers;
    private final InstantSource clock = InstantSource.system();
    private final BrokerMeters meters = new BrokerMeters();
    private final Observers observers = new Observers(meters);
    private final List<KafkaListener> listeners = new ArrayList<>();
    private final Map<String, Integer> ports = new LinkedHashMap<>();
    private final RedisOpening opening;
    private @Nullable Store store;
    private @Nullable RemoteTier remote;
    private @Nullable Components components;
    private @Nullable EventLoops loops;
    private @Nullable HttpServer http;
    private int httpPort = -1;
    private boolean started;
    private volatile boolean running;
    private boolean stopped;

    /** A server that is not running yet, over a Redis that others may use. */
    public KorvetServer(KorvetConfig config) {
        this(config, RedisUse.SHARED);
    }

    /** A server that is not running yet. */
    public KorvetServer(KorvetConfig config, RedisUse redisUse) {
        this(
                config,
                redisUse,
                (settings, store) ->
                        IcebergColdTier.open(settings, new KeySchema(config.namespace())::log, store.entries()));
    }

    /** The same with a cold tier of the caller's kind. */
    KorvetServer(KorvetConfig config, RedisUse redisUse, ColdTierOpener coldTiers) {
        this.config = config;
        this.redisUse = redisUse;
        this.coldTiers = coldTiers;
        this.opening = new RedisOpening(config);
    }

    /**
     * Connects, listens, registers.
     *
     * @throws StartException with a message for the operator; nothing is left running then
     */
    public synchronized void start() {
        if (started) {
            return;
        }
        started = true;
        try {
            begin();
        } catch (RuntimeException | Error failure) {
            stop();
            throw failure;
        }
    }

    private void begin() {
        EventLoops threads =
                new EventLoops(config.broker().bossThreads(), config.broker().workerThreads());
        loops = threads;
        RedisStore opened = opening.open(config.redis().ioThreads() > 0 ? null : threads.workers());
        store = opened;
        if (redisUse == RedisUse.SHARED) {
            opened.advice().warnings().thenAccept(warnings -> warnings.forEach(LOG::warn));
        }
        Components parts = new Components(config, opened, openRemoteTier(opened), observers, meters, clock);
        components = parts;
        await(parts.start(), "the topics in Redis could not be read");
        if (config.broker().enabled()) {
            listen(parts, threads);
        }
        // Before others hear of this broker: a port that is taken must not move leaders.
        serveHttp(opened, parts);
        if (config.broker().enabled()) {
            if (redisUse == RedisUse.PRIVATE) {
                await(parts.forgetBrokers(), "the registry of brokers could not be emptied");
            }
            await(parts.join(self()), "this broker could not be registered");
        }
        parts.startWorker();
        meters.up(() -> 1);
        running = true;
        LOG.atInfo()
                .addKeyValue("brokerId", config.broker().id())
                .addKeyValue("listeners", ports)
                .addKeyValue("httpPort", httpPort)
                .log("Korvet is running");
    }

    private void serveHttp(RedisStore opened, Components parts) {
        HttpServer server = new HttpServer(
                config.admin(),
                new BrokerHealth(opened, parts, config, ports, remote, () -> running),
                meters,
                Map.of("app", Version.info()),
                clock);
        http = server;
        httpPort = server.start();
    }

    /** The cold tier where there is one; waits for it only so long. */
    private @Nullable ColdTier openRemoteTier(Store opened) {
        if (!config.storage().remote().isConfigured()) {
            return null;
        }
        RemoteTier opening =
                new RemoteTier(config.storage().remote(), settings -> coldTiers.open(settings, opened), observers);
        remote = opening;
        opening.open(PATIENCE);
        return opening.tier();
    }

    private void listen(Components parts, EventLoops threads) {
        NetOptions options = NetOptions.DEFAULTS.withBytes(
                config.broker().maxRequestBytes(),
                config.broker().maxPendingBytes(),
                config.broker().resumePendingBytes());
        InFlightBudget budget = new InFlightBudget(options);
        meters.pendingBytes(budget::pendingBytes);
        Dispatcher dispatcher = parts.dispatcher();
        for (ListenerConfig listener : config.broker().allListeners()) {
            KafkaListener kafka = new KafkaListener(
                    listener.name(),
                    new InetSocketAddress(listener.host(), listener.port()),
                    threads,
                    options,
                    budget,
                    dispatcher,
                    observers.requests());
            try {
                ports.put(listener.name(), await(kafka.start(), "listener '" + listener.name() + "' could not start"));
            } catch (StartException e) {
                throw StartException.notBound(
                        "Kafka",
                        listener.host(),
                        listener.port(),
                        listener.name().equals("broker") ? "--port" : "korvet.broker.listeners",
                        e.getCause() == null ? e : e.getCause());
            }
            listeners.add(kafka);
        }
    }

    private BrokerNode self() {
        Map<String, Endpoint> endpoints = new LinkedHashMap<>();
        for (ListenerConfig listener : config.broker().allListeners()) {
            endpoints.put(listener.name(), endpoint(listener));
        }
        Endpoint primary = java.util.Objects.requireNonNull(endpoints.remove("broker"));
        return new BrokerNode(
                config.broker().id(), primary, endpoints, config.broker().rack(), clock.millis());
    }

    private Endpoint endpoint(ListenerConfig listener) {
        int bound = java.util.Objects.requireNonNull(ports.get(listener.name()));
        return new Endpoint(listener.hostForClients(), listener.portForClients(bound));
    }

    /** The port that the primary listener is bound to, -1 without a broker. */
    public int kafkaPort() {
        return ports.getOrDefault("broker", -1);
    }

    /** The port that HTTP is served on. */
    public int httpPort() {
        return httpPort;
    }

    /** Stops listening and leaves the registry, answers what is under way, lets Redis go; within 30 seconds. */
    public void stop() {
        // A start that waits for Redis holds the lock.
        opening.giveUp();
        end();
    }

    private synchronized void end() {
        if (stopped) {
            return;
        }
        stopped = true;
        long deadline = System.nanoTime() + TIME_TO_STOP.toNanos();
        Components parts = components;
        Map<String, CompletionStage<?>> ending = new LinkedHashMap<>();
        for (KafkaListener listener : listeners) {
            ending.put("listener " + ending.size(), listener.stop(PATIENCE));
        }
        if (parts != null) {
            // At once, so that others take over while answers are still sent.
            ending.put("registry", parts.leave());
            ending.put("storage worker", parts.stopWorker());
        }
        ending.forEach((part, end) -> quietly(end, part, deadline));
        if (parts != null) {
            parts.close();
        }
        if (remote != null) {
            remote.close();
        }
        if (http != null) {
            http.stop();
        }
        if (store != null) {
            store.close();
        }
        if (loops != null) {
            quietly(loops.stop(), "event loops", deadline + PATIENCE.toNanos() / 2);
        }
        meters.close();
        if (running) {
            LOG.info("Korvet has stopped");
        }
    }

    @Override
    public void close() {
        stop();
    }

    static <T> T await(CompletionStage<T> stage, String problem) {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toSeconds() * 2, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String reason = String.valueOf(cause.getMessage());
            throw new StartException(cause instanceof StoreException ? reason : problem + ": " + reason, cause);
        } catch (TimeoutException e) {
            throw new StartException(problem + ": no answer within " + PATIENCE.toSeconds() * 2 + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException(problem + ": interrupted", e);
        }
    }

    private static void quietly(CompletionStage<?> stage, String part, long deadlineNanos) {
        try {
            stage.toCompletableFuture().get(Math.max(1, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("{} did not stop cleanly: {}", part, e.getMessage() == null ? e.toString() : e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
