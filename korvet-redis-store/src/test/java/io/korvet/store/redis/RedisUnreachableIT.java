package io.korvet.store.redis;

import static io.korvet.store.Stages.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.korvet.store.Stages;
import io.korvet.store.StoreException;
import io.korvet.store.StoreException.Kind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What is said of a Redis that can't be reached: why, in the log and in each failure. */
class RedisUnreachableIT {

    private static final String SECRET = "s3cr3t";

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private RedisServerProcess server;
    private RedisStore store;

    @BeforeEach
    @SuppressWarnings("NullAway.Init")
    void start() {
        logger().addAppender(lines);
        lines.start();
        server = RedisServerProcess.start();
        admit();
        store = Stages.await(
                RedisStore.open(RedisStoreOptions.of(server.uri().replace("redis://", "redis://korvet:" + SECRET + "@"))
                        .withCommandTimeout(Duration.ofSeconds(2))));
    }

    @AfterEach
    void stop() {
        store.close();
        server.close();
        logger().detachAppender(lines);
    }

    private static Logger logger() {
        Logger logger = (Logger) LoggerFactory.getLogger(RedisOutage.class);
        logger.setLevel(Level.INFO);
        return logger;
    }

    private void admit() {
        server.command("ACL", "SETUSER", "korvet", "on", ">" + SECRET, "~*", "&*", "+@all");
    }

    private List<String> told() {
        return List.copyOf(lines.list).stream()
                .map(line -> line.getLevel() + " " + line.getKeyValuePairs() + " " + line.getFormattedMessage())
                .toList();
    }

    @Test
    void aUserThatIsRemovedIsNamedAsTheReasonWithoutItsPassword() {
        server.command("ACL", "DELUSER", "korvet");
        assertSaid("WRONGPASS");
        admit();
        assertOver();
    }

    @Test
    void aServerThatIsGoneRefusesConnections() {
        server.kill();
        assertSaid("Connection refused");
        server.restart();
        admit();
        assertOver();
    }

    private void assertSaid(String reason) {
        await().untilAsserted(() -> {
            StoreException failure = failure(store.ping());
            assertThat(failure.kind()).isEqualTo(Kind.UNAVAILABLE);
            assertThat(failure)
                    .hasMessageStartingWith("ping: there is no connection to Redis at the moment (")
                    .hasMessageContaining(reason);
        });
        assertThat(told())
                .hasSize(1)
                .first()
                .asString()
                .contains("WARN", server.uri().replace("redis://", ""), "since=", reason);
        assertThat(lines.list.get(0).getThrowableProxy()).isNull();
    }

    private void assertOver() {
        await().untilAsserted(() -> assertThat(told())
                .last()
                .asString()
                .contains("INFO", server.uri().replace("redis://", ""), "Redis is reached again"));
        Stages.await(store.ping());
        assertThat(told()).hasSizeLessThanOrEqualTo(3).noneMatch(line -> line.contains(SECRET));
    }
}
