package io.korvet.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.korvet.store.MembershipEpochs;
import io.korvet.store.MembershipEpochs.Epoch;
import io.korvet.store.Stages;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** What is made of a stored epoch that Korvet didn't write. */
class MembershipEpochsIT {

    private static final String KEY = "{korvet:broker:nodes}:epoch";

    @ParameterizedTest
    @MethodSource("io.korvet.store.redis.RedisServerBinary#all")
    void aNumberThatIsNoneCountsAsZeroIsLoggedOnceAndIsReplaced(RedisServerBinary binary) {
        Logger logger = (Logger) LoggerFactory.getLogger(RedisMembershipEpochs.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try (RedisServerProcess server = RedisServerProcess.start(binary);
                RedisStore store = Stages.await(RedisStore.open(RedisStoreOptions.of(server.uri())))) {
            MembershipEpochs epochs = store.membershipEpochs();
            for (String number : List.of(
                    "99999999999", "2147483647", "-5", "1e3", "0x10", " 7", "12.5", "nan", "9999999999", "nonsense")) {
                server.command("HSET", KEY, "epoch", number, "brokers", "1,2");
                lines.list.clear();
                Epoch seen = Stages.await(epochs.present());
                assertThat(seen).as(number).isEqualTo(new Epoch(0, "1,2"));
                assertThat(Stages.await(store.lifeSigns().look("1")).epoch())
                        .as(number)
                        .isEqualTo(seen);
                // Who looked before it was damaged still hears of the pair as it is, and writes nothing.
                assertThat(Stages.await(epochs.agree("1", 8, 7))).as(number).isEqualTo(seen);
                assertThat(Stages.await(epochs.agree("1", 2_000_000_000, 0)))
                        .as(number)
                        .isEqualTo(new Epoch(2_000_000_000, "1"));
                assertThat(Stages.await(epochs.present())).as(number).isEqualTo(new Epoch(2_000_000_000, "1"));
                assertThat(lines.list).as(number).hasSize(1);
                assertThat(said(lines.list.get(0))).containsEntry("key", KEY).containsEntry("value", number);
            }
            // One that nobody saw before it was replaced is told too.
            server.command("HSET", KEY, "epoch", "-1");
            lines.list.clear();
            assertThat(Stages.await(epochs.agree("1,2", 3, MembershipEpochs.ANY))
                            .number())
                    .isBetween(3, 2_000_000_000);
            assertThat(lines.list).hasSize(1);
        } finally {
            logger.detachAppender(lines);
        }
    }

    @ParameterizedTest
    @MethodSource("io.korvet.store.redis.RedisServerBinary#all")
    void aKeyOfAnotherTypeKeepsNobodyFromLookingAtSigns(RedisServerBinary binary) {
        try (RedisServerProcess server = RedisServerProcess.start(binary);
                RedisStore store = Stages.await(RedisStore.open(RedisStoreOptions.of(server.uri())))) {
            server.command("SET", KEY, "x");
            Stages.await(store.lifeSigns().write("1", "", "a"));
            assertThat(Stages.await(store.lifeSigns().look("1")).signs()).containsOnlyKeys("1");
            assertThat(Stages.await(store.lifeSigns().look("1")).epoch()).isEqualTo(Epoch.NONE);
        }
    }

    private static Map<String, Object> said(ILoggingEvent line) {
        return line.getKeyValuePairs().stream().collect(Collectors.toMap(pair -> pair.key, pair -> pair.value));
    }
}
