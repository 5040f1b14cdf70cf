package io.korvet.store.redis;

import io.korvet.store.MembershipEpochs;
import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Number and members as two fields of one hash, in the slot of the registry. */
final class RedisMembershipEpochs implements MembershipEpochs {

    private final KeySchema keys;
    private final RedisRoute route;

    RedisMembershipEpochs(KeySchema keys, RedisRoute route) {
        this.keys = keys;
        this.route = route;
    }

    @Override
    public CompletionStage<Epoch> present() {
        return route.send(RedisCall.list(
                        "epoch of the brokers",
                        Effect.READS,
                        CommandType.HMGET,
                        RedisCall.arguments()
                                .addKey(keys.membershipEpoch())
                                .add("epoch")
                                .add("brokers")))
                .thenApply(fields -> epoch(fields.get(0), fields.get(1)));
    }

    @Override
    public CompletionStage<Epoch> agree(String members, int least, int seen) {
        return route.send(RedisCall.list(
                        "epoch of the brokers",
                        Effect.CHANGES,
                        CommandType.EVALSHA,
                        RedisCall.arguments(
                                Script.AGREE_ON_EPOCH,
                                List.of(keys.membershipEpoch()),
                                List.of(members, Integer.toString(least), Integer.toString(seen)))))
                .thenApply(answer -> epoch(answer.get(0), answer.get(1)));
    }

    /** What is stored; a number that is none counts as 0, so that it is replaced. */
    static Epoch epoch(@Nullable Object number, @Nullable Object members) {
        String text = number == null ? "" : number.toString();
        return new Epoch(
                text.matches("\\d{1,10}") ? (int) Math.min(Long.parseLong(text), Integer.MAX_VALUE) : 0,
                members == null ? "" : (String) members);
    }
}
