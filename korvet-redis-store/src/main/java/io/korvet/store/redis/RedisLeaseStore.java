package io.korvet.store.redis;

import io.korvet.store.LeaseStore;
import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Leases as keys that expire by Redis' clock. */
final class RedisLeaseStore implements LeaseStore {

    private final KeySchema keys;
    private final RedisRoute route;

    RedisLeaseStore(KeySchema keys, RedisRoute route) {
        this.keys = keys;
        this.route = route;
    }

    @Override
    public CompletionStage<Boolean> acquire(String name, String token, Duration duration) {
        return act(Script.ACQUIRE_LEASE, name, List.of(token, Long.toString(duration.toMillis())));
    }

    @Override
    public CompletionStage<Boolean> release(String name, String token) {
        return act(Script.RELEASE_LEASE, name, List.of(token));
    }

    private CompletionStage<Boolean> act(Script script, String name, List<String> values) {
        return route.send(RedisCall.number(
                        "lease " + name,
                        Effect.CHANGES,
                        CommandType.EVALSHA,
                        RedisCall.arguments(script, List.of(keys.lease(name)), values)))
                .thenApply(done -> done == 1);
    }
}
