package io.korvet.store.redis;

import io.korvet.store.MemoryUse;
import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandType;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the server's memory use from {@code INFO memory}. Thread-safe. */
final class RedisMemory {

    private final RedisLane lane;

    RedisMemory(RedisLane lane) {
        this.lane = lane;
    }

    CompletionStage<MemoryUse> use() {
        return lane.send(RedisCall.text(
                        "memory",
                        Effect.READS,
                        CommandType.INFO,
                        RedisCall.arguments().add("memory")))
                .thenApply(info -> parse(info == null ? "" : info));
    }

    /** From the server's text; what it doesn't say is 0. */
    static MemoryUse parse(String info) {
        long limit = number(info, "maxmemory");
        return new MemoryUse(number(info, "used_memory"), limit > 0 ? limit : number(info, "total_system_memory"));
    }

    private static long number(String info, String name) {
        Matcher matcher = Pattern.compile("^" + name + ":(\\d{1,18})\\s*$", Pattern.MULTILINE)
                .matcher(info);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }
}
