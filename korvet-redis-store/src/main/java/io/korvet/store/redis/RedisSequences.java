package io.korvet.store.redis;

import io.korvet.store.Sequences;
import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandType;
import java.util.concurrent.CompletionStage;

/** Counters of numbers given so far; the first number of all is 0. */
final class RedisSequences implements Sequences {

    private final KeySchema keys;
    private final RedisRoute route;

    RedisSequences(KeySchema keys, RedisRoute route) {
        this.keys = keys;
        this.route = route;
    }

    @Override
    public CompletionStage<Long> take(String name, int count) {
        if (count < 1) {
            throw new IllegalArgumentException("block of " + count + " numbers: expected at least 1");
        }
        return route.send(RedisCall.number(
                        "numbers of " + name,
                        Effect.CHANGES,
                        CommandType.INCRBY,
                        RedisCall.arguments().addKey(keys.sequence(name)).add(count)))
                .thenApply(given -> given - count);
    }
}
