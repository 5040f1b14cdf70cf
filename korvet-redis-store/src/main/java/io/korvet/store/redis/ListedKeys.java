package io.korvet.store.redis;

import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A set with the names of things that have a key each. The set lies in another slot than the keys, so it is written before a
 * key and corrected after it is gone: it may name one too many for a moment, never one too few.
 */
final class ListedKeys {

    private final RedisRoute route;
    private final String set;
    private final String what;

    /** The names of such things in a set. */
    ListedKeys(RedisRoute route, String set, String what) {
        this.route = route;
        this.set = set;
        this.what = what;
    }

    /** Writes a key whose name is listed before. */
    <T> CompletionStage<T> listedFirst(String name, RedisCall<T> write) {
        CompletionStage<Long> listed = list(name);
        return route.keepsOrderAcrossSlots()
                ? route.send(write).thenCombine(listed, (written, added) -> written)
                : listed.thenCompose(added -> route.send(write));
    }

    /** Takes a name off the list, and puts it back when its key is there (again). */
    CompletionStage<Void> unlist(String name, String key) {
        return route.send(call("unlist", name, CommandType.SREM))
                .thenCompose(unlisted -> route.send(RedisCall.number(
                        what + " of " + name,
                        Effect.READS,
                        CommandType.EXISTS,
                        RedisCall.arguments().addKey(key))))
                .thenCompose(there ->
                        there > 0 ? list(name).thenAccept(done -> {}) : CompletableFuture.completedStage(null));
    }

    /** All names. */
    CompletionStage<List<String>> names() {
        return route.send(RedisCall.list(
                        "names with " + what,
                        Effect.READS,
                        CommandType.SMEMBERS,
                        RedisCall.arguments().addKey(set)))
                .thenApply(names -> names.stream().map(String.class::cast).toList());
    }

    private CompletionStage<Long> list(String name) {
        return route.send(call("list", name, CommandType.SADD));
    }

    private RedisCall<Long> call(String action, String name, CommandType command) {
        return RedisCall.number(
                action + " " + what + " of " + name,
                Effect.CHANGES,
                command,
                RedisCall.arguments().addKey(set).add(name));
    }
}
