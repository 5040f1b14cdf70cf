package io.korvet.store.redis;

import io.korvet.store.MembershipEpochs;
import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Number and members as two fields of one hash, in the slot of the registry. A stored number that is none counts as 0, so
 * that it is replaced, and is logged once.
 */
final class RedisMembershipEpochs implements MembershipEpochs {

    private static final Logger LOGGER = LoggerFactory.getLogger(RedisMembershipEpochs.class);

    private final KeySchema keys;
    private final RedisRoute route;
    /** The last number that was none, so that one that can't be replaced is logged once. */
    private final AtomicReference<String> refused = new AtomicReference<>("");

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
                .thenApply(answer -> {
                    var unused = number((String) answer.get(2));
                    return epoch(answer.get(0), answer.get(1));
                });
    }

    /** What is stored, given the two fields; {@code null} or empty for none. */
    Epoch epoch(@Nullable Object number, @Nullable Object members) {
        return new Epoch(number(number == null ? "" : number.toString()), members == null ? "" : (String) members);
    }

    private int number(String text) {
        long number = text.matches("\\d{1,10}") ? Long.parseLong(text) : -1;
        if (number >= 0 && number <= LAST) {
            return (int) number;
        }
        if (!text.isEmpty() && !text.equals(refused.getAndSet(text))) {
            LOGGER.atWarn()
                    .addKeyValue("key", keys.membershipEpoch())
                    .addKeyValue("field", "epoch")
                    .addKeyValue("value", text)
                    .log("the stored leader epoch is no whole number from 0 to {} and is replaced", LAST);
        }
        return 0;
    }
}
