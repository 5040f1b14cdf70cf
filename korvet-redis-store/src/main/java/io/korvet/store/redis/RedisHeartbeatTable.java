package io.korvet.store.redis;

import io.korvet.store.HeartbeatTable;
import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Rows of one hash, such as the broker registry. */
final class RedisHeartbeatTable implements HeartbeatTable {

    private static final String NONE = "";

    private final String key;
    private final RedisRoute route;

    RedisHeartbeatTable(String key, RedisRoute route) {
        this.key = key;
        this.route = route;
    }

    @Override
    public CompletionStage<Map<String, String>> rows() {
        return route.send(RedisCall.list(
                        "rows of " + key,
                        Effect.READS,
                        CommandType.HGETALL,
                        RedisCall.arguments().addKey(key)))
                .thenApply(flat -> Rows.map(flat));
    }

    @Override
    public CompletionStage<@Nullable String> compareAndSet(String member, @Nullable String expected, String row) {
        return set(member, expected == null ? NONE : expected, row);
    }

    @Override
    public CompletionStage<Boolean> remove(String member, String expected) {
        return set(member, expected, NONE).thenApply(other -> other == null);
    }

    private CompletionStage<@Nullable String> set(String member, String expected, String row) {
        return route.send(RedisCall.text(
                "row " + member + " of " + key,
                Effect.CHANGES,
                CommandType.EVALSHA,
                RedisCall.arguments(Script.SET_ROW, List.of(key), List.of(member, expected, row))));
    }
}
