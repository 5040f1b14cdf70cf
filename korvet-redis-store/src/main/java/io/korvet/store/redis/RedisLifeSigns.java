package io.korvet.store.redis;

import io.korvet.store.LifeSigns;
import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Signs as fields of one hash, connections as subscribers of a channel per member: when a process dies its kernel closes
 * the socket, and Redis counts one subscriber less. Redis counts the subscribers of its own node, so the calls and the
 * subscriptions must go to one node: the one of the registry's slot, in which the hash lies too.
 */
final class RedisLifeSigns implements LifeSigns {

    private final KeySchema keys;
    private final RedisRoute route;
    private final RedisConnections connections;
    private final RedisMembershipEpochs epochs;

    RedisLifeSigns(KeySchema keys, RedisConnections connections, RedisMembershipEpochs epochs) {
        this.keys = keys;
        this.route = connections.route(RedisNode.Kind.METADATA);
        this.connections = connections;
        this.epochs = epochs;
    }

    @Override
    public Presence appear(String member) {
        RedisPresence presence = new RedisPresence(connections, keys.signChannel(member));
        presence.connect();
        return presence;
    }

    @Override
    public CompletionStage<Look> look(String member) {
        return route.send(RedisCall.list(
                        keys.signs(),
                        Effect.READS,
                        CommandType.EVALSHA,
                        RedisCall.arguments(
                                Script.LOOK_AT_SIGNS,
                                List.of(keys.signs(), keys.membershipEpoch(), keys.brokers()),
                                List.of(keys.signChannel(""), member))))
                .thenApply(this::read);
    }

    private Look read(List<Object> flat) {
        Map<String, Sign> signs = new HashMap<>();
        for (int i = 3; i + 2 < flat.size(); i += 3) {
            signs.put((String) flat.get(i), new Sign((String) flat.get(i + 1), (Long) flat.get(i + 2)));
        }
        return new Look(signs, epochs.epoch(flat.get(0), flat.get(1)), (String) flat.get(2));
    }

    @Override
    public CompletionStage<@Nullable String> write(String member, String expected, String text) {
        return route.send(RedisCall.text(
                "row " + member + " of " + keys.signs(),
                Effect.CHANGES,
                CommandType.EVALSHA,
                RedisCall.arguments(Script.SET_ROW, List.of(keys.signs()), List.of(member, expected, text))));
    }

    @Override
    public CompletionStage<Boolean> replace(String member, Sign seen, String row, String mark) {
        String quiet = seen.connections() == 0 ? keys.signChannel(member) : "";
        return route.send(RedisCall.number(
                        "row " + member + " of " + keys.signs(),
                        Effect.CHANGES,
                        CommandType.EVALSHA,
                        RedisCall.arguments(
                                Script.REPLACE_SIGN,
                                List.of(keys.signs(), keys.brokers()),
                                List.of(member, seen.text(), row, quiet, mark))))
                .thenApply(done -> done == 1);
    }

    @Override
    public CompletionStage<Boolean> remove(String member, String expected) {
        return write(member, expected, "").thenApply(other -> other == null);
    }
}
