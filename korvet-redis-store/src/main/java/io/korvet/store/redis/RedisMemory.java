package io.korvet.store.redis;

import io.korvet.store.MemoryUse;
import io.korvet.store.redis.RedisCall.Effect;
import io.korvet.store.redis.RedisNode.Kind;
import io.lettuce.core.protocol.CommandType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the memory use of a Redis from {@code INFO memory}: of a cluster, that of its fullest node. Thread-safe. */
final class RedisMemory {

    private final RedisConnections connections;

    RedisMemory(RedisConnections connections) {
        this.connections = connections;
    }

    CompletionStage<MemoryUse> use() {
        CompletionStage<MemoryUse> fullest = CompletableFuture.completedStage(new MemoryUse(0, 0));
        for (RedisNode node : connections.nodes()) {
            fullest = fullest.thenCombine(use(node), (one, other) -> one.ratio() > other.ratio() ? one : other);
        }
        return fullest;
    }

    private static CompletionStage<MemoryUse> use(RedisNode node) {
        return node.lane(Kind.METADATA)
                .send(RedisCall.text(
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
