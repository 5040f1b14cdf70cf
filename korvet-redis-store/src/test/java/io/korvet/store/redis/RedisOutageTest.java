package io.korvet.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.store.redis.RedisNode.Kind;
import io.korvet.store.time.ManualScheduler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.event.EventRecordingLogger;
import org.slf4j.event.SubstituteLoggingEvent;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.SubstituteLogger;

/** How many lines an outage of a server is, and what they say. */
class RedisOutageTest {

    private final Throwable refused = new RedisConnectionException(
            "Unable to connect", new RedisConnectionException("worse", new IOException("Connection refused")));

    private final ManualScheduler time = new ManualScheduler(Instant.EPOCH);
    private final Queue<SubstituteLoggingEvent> lines = new ArrayDeque<>();
    private final Logger recorder = new EventRecordingLogger(new SubstituteLogger("outage", lines, true), lines);
    private final RedisOutage outage = new RedisOutage("here:6379", time, recorder);

    private List<String> told() {
        List<String> told = lines.stream()
                .map(line -> {
                    assertThat(line.getThrowable()).isNull();
                    return line.getLevel() + " "
                            + MessageFormatter.basicArrayFormat(line.getMessage(), line.getArgumentArray());
                })
                .toList();
        lines.clear();
        return told;
    }

    private static String away(int since, String connections, String reason) {
        return "WARN server=here:6379 since=" + Instant.ofEpochSecond(since) + " connections=[" + connections
                + "] Redis can't be reached, it is tried again: " + reason;
    }

    private static String again(int since, int seconds) {
        return "INFO server=here:6379 since=" + Instant.ofEpochSecond(since) + " Redis is reached again, " + seconds
                + " s after it was lost";
    }

    private void lose() {
        for (Kind connection : Kind.values()) {
            outage.disconnected(connection);
        }
    }

    private void fail(Throwable failure) {
        for (Kind connection : Kind.values()) {
            outage.failed(connection, failure);
        }
    }

    private void heal() {
        for (Kind connection : Kind.values()) {
            outage.connected(connection);
        }
    }

    @Test
    void anOutageIsALineEveryTenSecondsAndOneForItsEnd() {
        lose();
        for (int second = 0; second < 25; second++) {
            time.advance(Duration.ofSeconds(1));
            fail(refused);
        }
        assertThat(outage.reason()).isEqualTo("Connection refused");
        heal();
        String all = "APPENDS, COPIED_APPENDS, READS, METADATA";
        assertThat(told())
                .containsExactly(
                        away(0, "APPENDS", "Connection refused"),
                        away(0, all, "Connection refused"),
                        away(0, all, "Connection refused"),
                        again(0, 25));
        assertThat(outage.reason()).isNull();
    }

    @Test
    void aConnectionThatIsMadeAgainAtOnceIsNoOutage() {
        for (int turn = 0; turn < 100; turn++) {
            lose();
            heal();
        }
        assertThat(told()).isEmpty();
    }

    @Test
    void itIsOverWhenTheLastConnectionIsThereAgain() {
        fail(refused);
        lines.clear();
        for (Kind connection : List.of(Kind.METADATA, Kind.READS, Kind.APPENDS)) {
            outage.connected(connection);
        }
        assertThat(outage.reason()).isEqualTo("Connection refused");
        assertThat(told()).isEmpty();
        outage.connected(Kind.COPIED_APPENDS);
        assertThat(told()).containsExactly(again(0, 0));
    }

    @Test
    void aServerThatComesAndGoesIsTwoLinesInTenSeconds() {
        for (int turn = 0; turn < 100; turn++) {
            fail(refused);
            heal();
        }
        assertThat(told()).containsExactly(away(0, "APPENDS", "Connection refused"), again(0, 0));
        time.advance(Duration.ofSeconds(10));
        fail(refused);
        assertThat(told()).containsExactly(away(10, "APPENDS", "Connection refused"));
    }

    @Test
    void theReasonIsTheLastOneAndSaysWhatTheServerOrTheSystemSaid() {
        fail(refused);
        fail(new RedisConnectionException(
                "Unable to connect", new RedisCommandExecutionException("NOAUTH Authentication required.")));
        assertThat(outage.reason()).isEqualTo("NOAUTH Authentication required.");
        fail(new ConnectException("finishConnect(..) failed with error(-111): Connection refused: /10.0.0.1:6379"));
        assertThat(outage.reason()).isEqualTo("Connection refused: /10.0.0.1:6379");
        fail(new UnknownHostException("redis.example"));
        assertThat(outage.reason()).isEqualTo("unknown host redis.example");
        fail(new IllegalStateException());
        assertThat(outage.reason()).isEqualTo("IllegalStateException");
    }
}
