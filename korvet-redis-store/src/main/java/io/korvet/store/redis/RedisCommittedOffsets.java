package io.korvet.store.redis;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.korvet.store.CommittedOffsets;
import io.korvet.store.StoreException;
import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
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
        this.listed = new ListedKeys(route, keys.groups(), "positions", null);
    }

    @Override
    public CompletionStage<Outcome> commit(String group, Fence fence, Map<Key, Position> positions) {
        CommandArgs<String, String> arguments = arguments(Script.COMMIT_OFFSETS, group, fence);
        positions.forEach((key, position) -> arguments.add(field(key)).add(row(position)));
        RedisCall<Long> commit = RedisCall.number("commit of " + group, Effect.CHANGES, CommandType.EVALSHA, arguments);
        CompletionStage<Long> sent = positions.isEmpty() ? route.send(commit) : listed.listedFirst(group, commit);
        return sent.thenCompose(answer -> {
            Outcome outcome = outcome(answer);
            return outcome.isDone()
                    ? CompletableFuture.completedStage(outcome)
                    : listed.unlistUnlessThere(group, keys.commits(group)).thenApply(done -> outcome);
        });
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
    public CompletionStage<Outcome> remove(String group, Fence fence, Collection<Key> removed) {
        if (removed.isEmpty()) {
            return CompletableFuture.completedStage(Outcome.DONE);
        }
        CommandArgs<String, String> arguments = arguments(Script.REMOVE_OFFSETS, group, fence);
        removed.forEach(key -> arguments.add(field(key)));
        return remove(group, arguments);
    }

    @Override
    public CompletionStage<Outcome> removeAll(String group, Fence fence) {
        return remove(group, arguments(Script.REMOVE_OFFSETS, group, fence));
    }

    private CompletionStage<Outcome> remove(String group, CommandArgs<String, String> arguments) {
        return route.send(
                        RedisCall.list("remove positions of " + group, Effect.CHANGES, CommandType.EVALSHA, arguments))
                .thenCompose(answer -> {
                    Outcome outcome = outcome((Long) answer.get(0));
                    return outcome.isDone() && (Long) answer.get(1) == 0
                            ? listed.unlist(group, keys.commits(group)).thenApply(done -> outcome)
                            : CompletableFuture.completedStage(outcome);
                });
    }

    @Override
    public CompletionStage<List<String>> groups() {
        return listed.names();
    }

    private CommandArgs<String, String> arguments(Script script, String group, Fence fence) {
        return RedisCall.arguments(
                script,
                List.of(keys.group(group), keys.commits(group)),
                List.of(Long.toString(fence.epoch()), Long.toString(fence.number())));
    }

    /** What the scripts answer. */
    private static Outcome outcome(long answer) {
        return switch ((int) answer) {
            case 0 -> Outcome.CLAIMED_ELSEWHERE;
            case 1 -> Outcome.DONE;
            case 2 -> Outcome.DONE_AND_CLAIMED;
            case 3 -> Outcome.OVERTAKEN;
            default ->
                throw new StoreException(
                        StoreException.Kind.CORRUPT,
                        "a change of positions was answered " + answer + ", expected 0 to 3");
        };
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
