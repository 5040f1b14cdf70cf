package io.korvet.store.redis;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.DeliveryGroups;
import io.korvet.store.StreamName;
import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The mirror of groups as native consumer groups of the segments' streams. */
final class RedisDeliveryGroups implements DeliveryGroups {

    private final KeySchema keys;
    private final RedisRoute route;

    RedisDeliveryGroups(KeySchema keys, RedisRoute route) {
        this.keys = keys;
        this.route = route;
    }

    @Override
    public CompletionStage<Void> position(StreamName stream, long segment, String group, StreamEntryId lastDelivered) {
        return act(Script.POSITION_GROUP, stream, segment, group, List.of(group, lastDelivered.toString()));
    }

    @Override
    public CompletionStage<Void> remove(StreamName stream, long segment, String group) {
        return act(Script.REMOVE_GROUP, stream, segment, group, List.of(group));
    }

    private CompletionStage<Void> act(
            Script script, StreamName stream, long segment, String group, List<String> values) {
        return route.send(RedisCall.number(
                        "group " + group + " of " + stream,
                        Effect.CHANGES,
                        CommandType.EVALSHA,
                        RedisCall.arguments(script, List.of(keys.segment(stream, segment)), values)))
                .thenAccept(done -> {});
    }
}
