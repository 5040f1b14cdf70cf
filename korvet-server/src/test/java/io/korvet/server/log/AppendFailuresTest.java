package io.korvet.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.store.StoreException;
import io.korvet.store.StoreException.Kind;
import io.korvet.store.StreamName;
import io.korvet.store.time.ManualScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.event.EventRecordingLogger;
import org.slf4j.event.SubstituteLoggingEvent;
import org.slf4j.helpers.SubstituteLogger;

/** How many lines an outage is, and what they say. */
class AppendFailuresTest {

    private static final AppendOutcome OUTCOME = AppendOutcome.failed(Errors.KAFKA_STORAGE_ERROR, "no answer");

    private final ManualScheduler time = new ManualScheduler(Instant.EPOCH);
    private final Queue<SubstituteLoggingEvent> lines = new ArrayDeque<>();
    private final Logger recorder = new EventRecordingLogger(new SubstituteLogger("appends", lines, true), lines);
    private final AppendFailures failures = new AppendFailures(time, recorder);

    private static StreamName partition(int number) {
        return new StreamName("orders:" + number);
    }

    private static Throwable failure(Kind kind) {
        return new StoreException(kind, "no answer");
    }

    private void fail(int partition, Kind kind) {
        failures.failed(partition(partition), OUTCOME, failure(kind));
    }

    /** Without the message's end. */
    private List<String> told() {
        List<String> told = lines.stream()
                .map(line -> line.getLevel() + " " + line.getMessage().replaceFirst("(appends [a-z]*).*", "$1"))
                .toList();
        lines.clear();
        return told;
    }

    private static String failing(int partition, int failing) {
        return "WARN stream=orders:" + partition + " errorCode=KAFKA_STORAGE_ERROR failingPartitions=" + failing
                + " appends fail";
    }

    private static String succeeding(int partition, int failing) {
        return "INFO stream=orders:" + partition + " failingPartitions=" + failing + " appends succeed";
    }

    @Test
    void anOutageIsALineForItsBeginAndOneForItsEndNotOneForEachPartition() {
        for (int number = 0; number < 1_000; number++) {
            fail(number, Kind.UNAVAILABLE);
        }
        assertThat(told()).containsExactly(failing(0, 1));

        for (int number = 0; number < 1_000; number++) {
            failures.succeeded(partition(number));
        }
        assertThat(told()).containsExactly(succeeding(0, 999));
    }

    @Test
    void whileItGoesOnALineEveryTenSecondsSaysHowManyPartitionsFail() {
        for (int second = 0; second <= 20; second++) {
            fail(second, Kind.UNAVAILABLE);
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(told()).containsExactly(failing(0, 1), failing(10, 11), failing(20, 21));
    }

    @Test
    void anotherKindHasALineOfItsOwn() {
        fail(0, Kind.UNAVAILABLE);
        fail(0, Kind.OUT_OF_MEMORY);
        failures.failed(partition(1), Copies.TOO_FEW, null);
        assertThat(told())
                .containsExactly(
                        failing(0, 1),
                        failing(0, 1),
                        "WARN stream=orders:1 errorCode=NOT_ENOUGH_REPLICAS_AFTER_APPEND failingPartitions=2 appends fail");
    }

    @Test
    void whatIsWrongWithOnePartitionIsALineOfItsOwnOnceUntilItSucceeds() {
        for (int second = 0; second <= 20; second++) {
            fail(0, Kind.CORRUPT);
            fail(1, Kind.CORRUPT);
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(told()).containsExactly(failing(0, 1), failing(1, 2));
        failures.succeeded(partition(0));
        fail(0, Kind.CORRUPT);
        assertThat(told()).containsExactly(succeeding(0, 1), failing(0, 2));
    }

    @Test
    void aPartitionThatFailsAndSucceedsByTurnsIsTwoLinesInTenSeconds() {
        for (int turn = 0; turn < 100; turn++) {
            fail(0, Kind.UNAVAILABLE);
            failures.succeeded(partition(0));
        }
        assertThat(told()).containsExactly(failing(0, 1), succeeding(0, 0));

        time.advance(Duration.ofSeconds(10));
        fail(0, Kind.UNAVAILABLE);
        assertThat(told()).containsExactly(failing(0, 1));
    }

    @Test
    void aPartitionThatIsLedElsewhereNowCountsNoMore() {
        fail(0, Kind.UNAVAILABLE);
        fail(1, Kind.UNAVAILABLE);
        failures.forgotten(partition(0));
        failures.succeeded(partition(1));
        assertThat(told()).containsExactly(failing(0, 1), succeeding(1, 0));
    }

    @Test
    void aClockThatIsSetBackKeepsNothingQuiet() {
        AtomicReference<Instant> clock = new AtomicReference<>(Instant.EPOCH.plusSeconds(600));
        AppendFailures stepped = new AppendFailures(clock::get, recorder);
        stepped.failed(partition(0), OUTCOME, failure(Kind.UNAVAILABLE));
        clock.set(Instant.EPOCH);
        stepped.failed(partition(0), OUTCOME, failure(Kind.UNAVAILABLE));
        assertThat(told()).hasSize(2);
    }
}
