package io.korvet.store.redis;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.korvet.store.CommittedOffsets;
import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Committed positions, one hash per group, and a set with the names of the groups. The set lies in another slot, so it is
 * written before the first position and corrected after the last: it may name a group too many for a moment, never one too
 * few.
 */
final class RedisCommittedOffsets implements CommittedOffsets {

    private final KeySchema keys;
    private final RedisRoute route;
    private final ListedKeys listed;

    RedisCommittedOffsets(KeySchema keys, RedisRoute route) {
        this.keys = keys;
        this.route = route;
        this.listed = new ListedKeys(route, keys.groups(), "positions");
    }

    @Override
    public CompletionStage<Void> commit(String group, Map<Key, Position> positions) {
        if (positions.isEmpty()) {
            return CompletableFuture.completedStage(null);
        }
        CommandArgs<String, String> arguments = RedisCall.arguments().addKey(keys.commits(group));
        positions.forEach((key, position) -> arguments.add(field(key)).add(row(position)));
        RedisCall<Long> commit = RedisCall.number("commit of " + group, Effect.CHANGES, CommandType.HSET, arguments);
        return listed.listedFirst(group, commit).thenAccept(stored -> {});
    }

    @Override
    public CompletionStage<Map<Key, Position>> positions(String group) {
        return route.send(RedisCall.list(
                        "positions of " + group,
                        Effect.READS,
                        CommandType.HGETALL,
                        RedisCall.arguments().addKey(keys.commits(group))))
                .thenApply(flat -> {
                    Map<Key, Position> positions = new HashMap<>();
                    Rows.map(flat).forEach((field, row) -> positions.put(key(field), position(row)));
                    return positions;
                });
    }

    @Override
    public CompletionStage<Void> remove(String group, Collection<Key> removed) {
        List<String> fields = new ArrayList<>(removed.size());
        removed.forEach(key -> fields.add(field(key)));
        return route.send(RedisCall.number(
                        "remove positions of " + group,
                        Effect.CHANGES,
                        CommandType.EVALSHA,
                        RedisCall.arguments(Script.REMOVE_COMMITS, List.of(keys.commits(group)), fields)))
                .thenCompose(left ->
                        left > 0 ? CompletableFuture.completedStage(null) : listed.unlist(group, keys.commits(group)));
    }

    @Override
    public CompletionStage<Boolean> delete(String group) {
        return route.send(RedisCall.number(
                        "delete " + group,
                        Effect.CHANGES,
                        CommandType.DEL,
                        RedisCall.arguments().addKey(keys.commits(group))))
                .thenCompose(
                        deleted -> listed.unlist(group, keys.commits(group)).thenApply(done -> deleted > 0));
    }

    @Override
    public CompletionStage<List<String>> groups() {
        return listed.names();
    }

    private static String field(Key key) {
        return key.topic() + ":" + key.partition();
    }

    private static Key key(String field) {
        int colon = field.lastIndexOf(':');
        return new Key(field.substring(0, colon), Integer.parseInt(field.substring(colon + 1)));
    }

    private static String row(Position position) {
        ObjectNode row = Rows.object();
        row.put("offset", Long.toString(position.offset()));
        row.put("leaderEpoch", position.leaderEpoch());
        row.put("metadata", position.metadata());
        row.put("committed", Long.toString(position.commitMilliseconds()));
        row.put("topicId", position.topicId());
        return row.toString();
    }

    private static Position position(String json) {
        JsonNode row = Rows.parse(json, "committed position");
        return new Position(
                row.path("offset").asLong(),
                row.path("leaderEpoch").asInt(-1),
                row.path("metadata").asText(""),
                row.path("committed").asLong(),
                row.path("topicId").asText(""));
    }
}
