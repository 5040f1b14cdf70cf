package io.korvet.server;

import io.korvet.server.config.KorvetConfig;
import io.korvet.server.config.RedisConfig;
import io.korvet.server.http.HealthChecks;
import io.korvet.store.Store;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Ready means: the start is over, Redis answers, the listeners are bound, the registry knows this broker. */
final class BrokerHealth implements HealthChecks {

    private final Store store;
    private final Components components;
    private final KorvetConfig config;
    private final Map<String, Integer> ports;
    private final @Nullable RemoteTier remote;
    private final BooleanSupplier started;

    BrokerHealth(
            Store store,
            Components components,
            KorvetConfig config,
            Map<String, Integer> ports,
            @Nullable RemoteTier remote,
            BooleanSupplier started) {
        this.store = store;
        this.components = components;
        this.config = config;
        this.ports = Map.copyOf(ports);
        this.remote = remote;
        this.started = started;
    }

    @Override
    public CompletionStage<Map<String, Health>> readiness() {
        return redis().thenApply(redis -> {
            Map<String, Health> parts = new LinkedHashMap<>(redis);
            if (!started.getAsBoolean()) {
                parts.put("start", Health.down("this process is still starting"));
            }
            if (config.broker().enabled()) {
                parts.put("listeners", Health.up(ports.toString()));
                parts.put(
                        "registry",
                        components.isRegistered()
                                ? Health.up("broker " + config.broker().id())
                                : Health.down("broker " + config.broker().id() + ": " + components.registryTrouble()));
            }
            if (remote != null) {
                // Shown, and never a reason not to be ready: without the object store all but cold reads goes on.
                parts.put("remoteStorage", Health.up(remote.description()));
            }
            return parts;
        });
    }

    /** Each Redis by itself, so that the one that is away is named. */
    private CompletionStage<Map<String, Health>> redis() {
        RedisConfig data = config.storage().local().redis();
        return redis(store, config.redis().shownUri(), data.isConfigured() ? data.shownUri() : null);
    }

    static CompletionStage<Map<String, Health>> redis(Store store, String uri, @Nullable String dataUri) {
        CompletionStage<Health> shared = store.ping().handle((pong, failure) -> redis(uri, failure));
        if (dataUri == null) {
            return shared.thenApply(health -> Map.of("redis", health));
        }
        return shared.thenCombine(
                store.pingLogs().handle((pong, failure) -> redis(dataUri, failure)), (health, dataHealth) -> {
                    Map<String, Health> parts = new LinkedHashMap<>();
                    parts.put("redis", health);
                    parts.put("redisData", dataHealth);
                    return parts;
                });
    }

    static Health redis(String uri, @Nullable Throwable failure) {
        if (failure == null) {
            return Health.up(uri);
        }
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return Health.down(uri + ": " + cause.getMessage());
    }
}
