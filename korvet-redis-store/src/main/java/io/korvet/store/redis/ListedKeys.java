package io.korvet.store.redis;

import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A set with the names of things that have a key each. The set lies in another slot than the keys, so it is written before a
 * key and corrected after it is gone: it may name one too many for a moment, never one too few.
 */
final class ListedKeys {

    private final RedisRoute route;
    private final String set;
    private final String what;
    private final @Nullable String field;

    /** The names of such things in a set; their keys count when they are there and, if one is given, have this field. */
    ListedKeys(RedisRoute route, String set, String what, @Nullable String field) {
        this.route = route;
        this.set = set;
        this.what = what;
        this.field = field;
    }

    /** Writes a key whose name is listed before. */
    <T> CompletionStage<T> listedFirst(String name, RedisCall<T> write) {
        CompletionStage<Long> listed = list(name);
        return route.keepsOrderAcrossSlots()
                ? route.send(write).thenCombine(listed, (written, added) -> written)
                : listed.thenCompose(added -> route.send(write));
    }

    /** Takes a name off the list if it has no key: what was listed first was not written. */
    CompletionStage<Void> unlistUnlessThere(String name, String key) {
        return route.send(presence(name, key))
                .thenCompose(there -> there > 0 ? CompletableFuture.completedStage(null) : unlist(name, key));
    }

    /** Takes a name off the list, and puts it back when its key is there (again). */
    CompletionStage<Void> unlist(String name, String key) {
        return route.send(call("unlist", name, CommandType.SREM))
                .thenCompose(unlisted -> route.send(presence(name, key)))
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

    private RedisCall<Long> presence(String name, String key) {
        CommandArgs<String, String> arguments = RedisCall.arguments().addKey(key);
        return RedisCall.number(
                what + " of " + name,
                Effect.READS,
                field == null ? CommandType.EXISTS : CommandType.HEXISTS,
                field == null ? arguments : arguments.add(field));
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
