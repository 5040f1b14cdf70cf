package io.korvet.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.korvet.store.StoreException;
import io.korvet.store.StreamName;
import io.korvet.store.time.ManualScheduler;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.SafeObserver.Subject;
import io.korvet.tiering.WorkerObserver.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How often failures are logged, and what the lines say. */
class FailureLogTest {

    private static final Duration TICK = Duration.ofMinutes(1);
    private static final StreamName ORDERS = new StreamName("orders:0");

    private final ManualScheduler time = new ManualScheduler(Instant.EPOCH);
    private final FailureLog failures = new FailureLog(TICK, time);
    private final LoggedLines lines = new LoggedLines();

    @AfterEach
    void stopListening() {
        lines.close();
    }

    private void fail(Phase phase, StreamName stream, long segment, Kind kind) {
        failures.failed(new Subject(phase, stream, null, segment), new ColdTierException(kind, "no file"));
    }

    @Test
    void theFirstOfAKindIsLoggedInFullAndNamesWhatItIsAbout() {
        fail(Phase.FORGET, ORDERS, SafeObserver.NO_SEGMENT, Kind.CORRUPT);
        fail(Phase.OFFLOAD, ORDERS, 7, Kind.CORRUPT);
        assertThat(lines.all()).hasSize(2).allMatch(line -> line.getThrowableProxy() != null);
        assertThat(LoggedLines.said(lines.all().get(0)))
                .containsEntry("stream", "orders:0")
                .doesNotContainKey("segment");
        assertThat(LoggedLines.said(lines.all().get(1)))
                .containsEntry("phase", Phase.OFFLOAD)
                .containsEntry("segment", 7L)
                .containsEntry("failure", "CORRUPT")
                .containsEntry("reason", "no file");
    }

    @Test
    void anOutageOfRedisHasNoStackTrace() {
        for (StoreException.Kind kind : StoreException.Kind.values()) {
            failures.failed(
                    new Subject(Phase.LEASE, null, null, SafeObserver.NO_SEGMENT), new StoreException(kind, "away"));
        }
        assertThat(lines.all().stream().filter(line -> line.getThrowableProxy() == null))
                .extracting(line -> LoggedLines.said(line).get("failure"))
                .containsExactlyInAnyOrder("store UNAVAILABLE", "store OUTCOME_UNKNOWN");
    }

    @Test
    void whatGoesOnIsCountedInOneLineForTenTicksWithoutItsStackTrace() {
        for (int tick = 0; tick <= 20; tick++) {
            fail(Phase.OFFLOAD, ORDERS, 7, Kind.CORRUPT);
            time.advance(TICK);
        }
        assertThat(lines.all()).hasSize(3);
        List<ILoggingEvent> later = lines.all().subList(1, 3);
        assertThat(later).allMatch(line -> line.getThrowableProxy() == null);
        assertThat(later)
                .extracting(LoggedLines::said)
                .allSatisfy(said -> assertThat(said)
                        .containsEntry("failuresSinceLastLine", 10)
                        .containsEntry("segment", 7L));
    }

    @Test
    void anotherLogPhaseOrKindHasALineOfItsOwn() {
        fail(Phase.OFFLOAD, ORDERS, 7, Kind.CORRUPT);
        fail(Phase.OFFLOAD, ORDERS, 8, Kind.CORRUPT);
        fail(Phase.OFFLOAD, new StreamName("orders:1"), 7, Kind.CORRUPT);
        fail(Phase.DROP, ORDERS, 7, Kind.CORRUPT);
        fail(Phase.OFFLOAD, ORDERS, 7, Kind.UNAVAILABLE);
        assertThat(lines.all()).hasSize(4);
    }

    @Test
    void whatWasNotHeardOfForLongIsNewAgain() {
        fail(Phase.OFFLOAD, ORDERS, 7, Kind.CORRUPT);
        time.advance(TICK.multipliedBy(21));
        fail(Phase.OFFLOAD, ORDERS, 7, Kind.CORRUPT);
        assertThat(lines.all()).hasSize(2).allMatch(line -> line.getThrowableProxy() != null);
    }

    @Test
    void atLevelDebugAllOfThemAreThereInFull() {
        lines.logger().setLevel(Level.DEBUG);
        for (int time = 0; time < 3; time++) {
            fail(Phase.OFFLOAD, ORDERS, 7, Kind.CORRUPT);
        }
        assertThat(lines.all()).hasSize(3).allMatch(line -> line.getThrowableProxy() != null);
        assertThat(lines.all())
                .extracting(ILoggingEvent::getLevel)
                .containsExactly(Level.WARN, Level.DEBUG, Level.DEBUG);
    }

    @Test
    void whatFailsAgainAfterASuccessIsNewUnlessItIsAboutOneSegment() {
        for (Kind kind : List.of(Kind.UNAVAILABLE, Kind.CORRUPT)) {
            fail(Phase.OFFLOAD, ORDERS, 7, kind);
        }
        assertThat(lines.all()).hasSize(2);
        failures.succeeded(ORDERS, Phase.DROP);
        failures.succeeded(new StreamName("orders:1"), Phase.OFFLOAD);
        time.advance(TICK);
        fail(Phase.OFFLOAD, ORDERS, 7, Kind.UNAVAILABLE);
        assertThat(lines.all()).hasSize(2);

        failures.succeeded(ORDERS, Phase.OFFLOAD);
        for (Kind kind : List.of(Kind.UNAVAILABLE, Kind.CORRUPT)) {
            fail(Phase.OFFLOAD, ORDERS, 8, kind);
        }
        assertThat(lines.all()).hasSize(3);
        assertThat(lines.all().get(2).getThrowableProxy()).isNotNull();
        assertThat(LoggedLines.said(lines.all().get(2))).containsEntry("failure", "UNAVAILABLE");
    }

    @Test
    void aStoreThatComesAndGoesHasALineATickAtTheMost() {
        for (int second = 0; second < 300; second++) {
            fail(Phase.OFFLOAD, ORDERS, second, Kind.UNAVAILABLE);
            failures.succeeded(ORDERS, Phase.OFFLOAD);
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(lines.all()).hasSize(5);
    }
}
