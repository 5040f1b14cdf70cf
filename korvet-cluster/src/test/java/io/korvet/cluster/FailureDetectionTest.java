package io.korvet.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.korvet.store.LifeSigns;
import io.korvet.store.MembershipEpochs;
import io.korvet.store.memory.InMemoryLifeSigns;
import io.korvet.store.memory.InMemoryMembershipEpochs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** How brokers notice that others die, in a time of each one's own that is moved by hand. */
class FailureDetectionTest {

    private static final Duration STEP = Duration.ofMillis(10);
    private static final Duration INTERVAL = Machine.INTERVAL;
    private static final Duration TIMEOUT = Machine.TIMEOUT;

    private final FallibleHeartbeatTable table = new FallibleHeartbeatTable();
    private final InMemoryMembershipEpochs epochs = new InMemoryMembershipEpochs(this::now);
    private final InMemoryLifeSigns signs = new InMemoryLifeSigns(table, epochs);
    private final Map<Integer, List<Integer>> idsOfEpochs = new HashMap<>();
    private final List<Machine> machines = new ArrayList<>();
    private Machine one;
    private Machine two;
    private Machine three;

    @BeforeEach
    @SuppressWarnings("NullAway.Init")
    void start() {
        one = joined(1, "a");
        pass(Duration.ofMillis(70));
        two = joined(2, "b");
        pass(Duration.ofMillis(60));
        three = joined(3, "c");
        pass(Duration.ofSeconds(4));
        assertAllSeeEachOther();
        machines.forEach(machine -> machine.views.clear());
    }

    private Machine joined(int id, String host) {
        return joined(new Machine(id, host, now(), table, epochs, signs));
    }

    private Instant now() {
        return machines.isEmpty()
                ? Instant.parse("2026-01-01T00:00:00Z")
                : machines.get(0).time.instant();
    }

    private Machine joined(Machine machine) {
        CompletableFuture<Void> join = machine.membership.join().toCompletableFuture();
        for (int turn = 0; turn < 100 && !join.isDone(); turn++) {
            machine.time.run();
        }
        assertThat(join).isCompleted();
        machines.add(machine);
        return machine;
    }

    private void pass(Duration duration) {
        for (Duration gone = Duration.ZERO; gone.compareTo(duration) < 0; gone = gone.plus(STEP)) {
            machines.forEach(machine -> machine.run(STEP));
            assertThatAnEpochStandsForOneSetAndNeverFalls();
        }
    }

    private void assertThatAnEpochStandsForOneSetAndNeverFalls() {
        for (Machine machine : machines) {
            int epoch = machine.membership.view().leaderEpoch();
            assertThat(idsOfEpochs.computeIfAbsent(epoch, first -> machine.ids()))
                    .as("epoch %d", epoch)
                    .isEqualTo(machine.ids());
            assertThat(epoch).isGreaterThanOrEqualTo(machine.lastEpoch);
            machine.lastEpoch = epoch;
        }
    }

    private List<Integer> epochsTold() {
        return machines.stream()
                .map(machine -> machine.membership.view().leaderEpoch())
                .distinct()
                .toList();
    }

    private void kill(Machine machine, int id) {
        machines.remove(machine);
        signs.cut("" + id);
    }

    private void assertAllSeeEachOther() {
        assertThat(machines).allSatisfy(machine -> assertThat(machine.ids()).containsExactly(1, 2, 3));
        assertThat(epochsTold()).hasSize(1);
    }

    private void assertNothingMoved() {
        assertThat(machines).allSatisfy(machine -> {
            assertThat(machine.views).isEmpty();
            assertThat(machine.heard).isEmpty();
        });
    }

    private List<String> heardByAll() {
        return machines.stream().flatMap(machine -> machine.heard.stream()).toList();
    }

    @Test
    void aKilledBrokerIsGoneFromAllViewsAfterThreeLooksAndIsDeclaredDeadOnce() {
        kill(two, 2);
        pass(INTERVAL.multipliedBy(3));
        assertThat(one.ids()).containsExactly(1, 3);
        assertThat(three.ids()).containsExactly(1, 3);
        assertThat(heardByAll()).containsExactly("2 CONNECTION");
        pass(Duration.ofMinutes(2));
        assertThat(heardByAll()).containsExactly("2 CONNECTION");
        assertThat(one.views).hasSize(1);
    }

    @Test
    void atAnyMomentOfTheRhythmAKilledBrokerIsNoticedAsFast() {
        for (int moment = 0; moment < 40; moment++) {
            pass(Duration.ofMillis(250L + 10L * moment));
            kill(two, 2);
            pass(INTERVAL.multipliedBy(3));
            assertThat(one.ids()).as("killed at moment " + moment).containsExactly(1, 3);
            assertThat(three.ids()).as("killed at moment " + moment).containsExactly(1, 3);
            two = joined(2, "b");
            pass(INTERVAL.plus(STEP));
            assertAllSeeEachOther();
        }
    }

    @Test
    void twoThatDieTogetherAreBothNoticed() {
        kill(two, 2);
        kill(three, 3);
        pass(INTERVAL.multipliedBy(3));
        assertThat(one.ids()).containsExactly(1);
        assertThat(one.heard).containsExactlyInAnyOrder("2 CONNECTION", "3 CONNECTION");
    }

    @Test
    void aPausedBrokerIsDeclaredDeadAfterTheTimeoutAndIsBackWhenItGoesOn() {
        two.paused = true;
        pass(TIMEOUT.minus(Duration.ofSeconds(1)));
        assertAllSeeEachOther();
        pass(Duration.ofSeconds(2));
        assertThat(one.ids()).containsExactly(1, 3);
        assertThat(three.ids()).containsExactly(1, 3);
        assertThat(heardByAll()).containsExactly("2 SILENCE");
        two.paused = false;
        pass(INTERVAL.multipliedBy(2));
        assertAllSeeEachOther();
        assertThat(two.heard).containsExactly("found declared dead");
        assertThat(two.views).isEmpty();
        pass(Duration.ofMinutes(1));
        assertAllSeeEachOther();
    }

    @Test
    void aPauseShorterThanTheTimeoutMovesNothing() {
        two.paused = true;
        pass(TIMEOUT.minus(Duration.ofMillis(1_300)));
        two.paused = false;
        pass(Duration.ofMinutes(1));
        assertNothingMoved();
    }

    @Test
    void anObserverThatWasPausedDeclaresNobodyDead() {
        two.paused = true;
        pass(Duration.ofSeconds(60));
        two.paused = false;
        two.heard.clear();
        two.views.clear();
        pass(Duration.ofSeconds(60));
        assertThat(two.heard).containsExactly("found declared dead");
        assertThat(two.views).isEmpty();
        assertAllSeeEachOther();
    }

    @Test
    void aConnectionThatIsLostAndMadeAnewMovesNothing() {
        for (int cut = 0; cut < 40; cut++) {
            pass(Duration.ofMillis(250L + 10L * cut));
            two.cutOff = true;
            signs.cut("2");
            pass(Duration.ofMillis(100));
            two.cutOff = false;
            pass(Duration.ofMillis(50));
            signs.restore("2");
        }
        pass(Duration.ofSeconds(30));
        assertNothingMoved();
    }

    @Test
    void aBrokerWhoseConnectionStaysLostLivesByItsSigns() {
        kill(two, 2);
        pass(Duration.ofSeconds(2));
        Machine mute = new Machine(2, "b", now(), table, epochs, new WithoutConnections(signs));
        joined(mute);
        pass(Duration.ofSeconds(3));
        signs.appear("2");
        pass(Duration.ofSeconds(3));
        assertAllSeeEachOther();
        machines.forEach(machine -> {
            machine.views.clear();
            machine.heard.clear();
        });
        signs.cut("2");
        pass(Duration.ofSeconds(60));
        assertNothingMoved();
    }

    @Test
    void aConnectionThatTheStoreHasLostAloneIsMadeAnew() {
        signs.cut("2");
        pass(Duration.ofSeconds(2));
        assertThat(signs.look("1").toCompletableFuture().join().signs().get("2"))
                .extracting(LifeSigns.Sign::connections)
                .isEqualTo(1L);
        assertNothingMoved();
    }

    @Test
    void aStoreThatIsStartedAgainEmptyMovesNothing() {
        machines.forEach(machine -> machine.cutOff = true);
        signs.clear();
        table.rows.clear();
        pass(Duration.ofSeconds(1));
        one.cutOff = false;
        signs.restore("1");
        pass(Duration.ofMillis(1_800));
        two.cutOff = false;
        signs.restore("2");
        pass(Duration.ofMillis(400));
        three.cutOff = false;
        pass(Duration.ofSeconds(60));
        assertAllSeeEachOther();
        assertThat(heardByAll()).containsOnly("lost row");
    }

    @Test
    void aStoreThatIsStartedAgainWithItsDataMovesNothing() {
        machines.forEach(machine -> {
            machine.cutOff = true;
            signs.cut("" + machine.membership.view().self());
        });
        one.cutOff = false;
        signs.restore("1");
        pass(Duration.ofSeconds(2));
        two.cutOff = false;
        signs.restore("2");
        three.cutOff = false;
        signs.restore("3");
        pass(Duration.ofSeconds(60));
        assertNothingMoved();
    }

    @Test
    void aBrokerThatCantReachTheStoreDeclaresNobodyDeadAndIsBackWithIt() {
        one.cutOff = true;
        pass(Duration.ofSeconds(20));
        assertThat(one.ids()).containsExactly(1, 2, 3);
        assertThat(two.ids()).containsExactly(2, 3);
        assertThat(three.ids()).containsExactly(2, 3);
        one.cutOff = false;
        pass(Duration.ofSeconds(3));
        assertAllSeeEachOther();
        assertThat(one.heard).containsExactly("found declared dead");
    }

    @Test
    void aBrokerWhoseLooksComeLateDeclaresNobodyDead() {
        kill(three, 3);
        pass(Duration.ofSeconds(3));
        one.heard.clear();
        two.paused = true;
        one.delay = Duration.ofMillis(1_100);
        pass(Duration.ofSeconds(20));
        assertThat(one.ids()).containsExactly(1, 2);
        one.delay = Duration.ZERO;
        pass(Duration.ofSeconds(8));
        assertThat(one.ids()).containsExactly(1);
        assertThat(one.heard).containsExactly("2 SILENCE");
    }

    @Test
    void aBrokerWithoutSignsIsJudgedByItsRowAlone() {
        table.rows.put("7", row(7, one.time.millis()));
        pass(MembershipSettings.DEFAULTS.refresh().plus(STEP));
        assertThat(one.ids()).containsExactly(1, 2, 3, 7);
        pass(MembershipSettings.DEFAULTS.staleAfter().minus(Duration.ofSeconds(4)));
        assertThat(one.ids()).containsExactly(1, 2, 3, 7);
        pass(Duration.ofSeconds(6));
        assertThat(one.ids()).containsExactly(1, 2, 3);
        assertThat(heardByAll()).containsExactly("7 AGE", "7 AGE", "7 AGE");
    }

    @Test
    void rowsThatAreRemovedAreWrittenAgainWithinALookAndNothingMoves() {
        for (int moment = 0; moment < 40; moment++) {
            table.rows.clear();
            pass(INTERVAL.plus(STEP));
            assertThat(table.rows).as("moment " + moment).containsOnlyKeys("1", "2", "3");
            pass(Duration.ofMillis(2_050));
            assertAllSeeEachOther();
        }
        assertThat(machines).allSatisfy(machine -> {
            assertThat(machine.views).isEmpty();
            assertThat(machine.heard).hasSize(40).containsOnly("lost row");
        });
    }

    @Test
    void aRowThatIsOverwrittenWithJunkIsBackInAllViewsWithinASecondAndAHalf() {
        for (int moment = 0; moment < 40; moment++) {
            table.rows.put("2", "garbage");
            pass(INTERVAL.plus(STEP));
            assertThat(table.rows.get("2")).contains("\"host\":\"b\"");
            pass(Duration.ofMillis(1_250));
            assertAllSeeEachOther();
            pass(Duration.ofMillis(830));
        }
        assertThat(two.heard).hasSize(40).containsOnly("lost row");
        assertThat(two.views).isEmpty();
    }

    @Test
    void aRowThatIsRemovedTenTimesASecondIsWrittenOncePerRound() {
        for (int time = 0; time < 300; time++) {
            table.rows.remove("2");
            pass(Duration.ofMillis(100));
        }
        assertThat(two.heard.stream().filter("lost row"::equals).count()).isBetween(10L, 20L);
        assertThat(two.ids()).containsExactly(1, 2, 3);
        pass(Duration.ofSeconds(12));
        assertAllSeeEachOther();
    }

    @Test
    void theIdOfABrokerThatWasDeclaredDeadIsFreeAtOnce() {
        kill(two, 2);
        pass(Duration.ofSeconds(1));
        assertThat(heardByAll()).containsExactly("2 CONNECTION");
        Machine heir = joined(2, "x");
        pass(INTERVAL.plus(STEP));
        assertAllSeeEachOther();
        assertThat(one.membership.view().find(2))
                .extracting(BrokerNode::primary)
                .isEqualTo(new Endpoint("x", 9092));
        assertThat(heir.heard).isEmpty();
    }

    @Test
    void theIdOfABrokerThatWasNotDeclaredDeadOrHasARowNewerThanItsMarkIsNot() {
        assertRefused(2);
        kill(two, 2);
        pass(Duration.ofSeconds(1));
        table.rows.put("2", row(2, one.time.millis()));
        assertRefused(2);
    }

    private void assertRefused(int id) {
        Machine machine = new Machine(id, "x", now(), table, epochs, signs);
        CompletableFuture<Void> join = machine.membership.join().toCompletableFuture();
        machine.time.run();
        assertThat(join).isCompletedExceptionally();
        assertThatThrownBy(join::join).hasCauseInstanceOf(BrokerIdTakenException.class);
        assertThat(table.rows.get("" + id)).doesNotContain("\"x\"");
    }

    @Test
    void aBrokerThatWasDeclaredDeadFalselyFindsItsIdTakenAndLeavesTheHeirAlone() {
        two.paused = true;
        pass(TIMEOUT.plusSeconds(1));
        assertThat(heardByAll()).containsExactly("2 SILENCE");
        Machine heir = joined(2, "x");
        pass(Duration.ofSeconds(1));
        one.views.clear();
        three.views.clear();
        two.paused = false;
        pass(Duration.ofSeconds(1));
        assertThat(two.membership.registered()).isFalse();
        pass(Duration.ofMinutes(1));
        assertThat(two.membership.registered()).isFalse();
        assertThat(table.rows.get("2")).contains("\"host\":\"x\"");
        assertThat(heir.membership.registered()).isTrue();
        assertThat(heir.heard).isEmpty();
        assertThat(one.views).isEmpty();
        assertThat(three.views).isEmpty();
        CompletableFuture<Void> left = heir.membership.leave().toCompletableFuture();
        heir.time.run();
        assertThat(left).isCompleted();
        machines.remove(heir);
        pass(Duration.ofSeconds(5));
        assertThat(two.membership.registered()).isTrue();
        assertAllSeeEachOther();
    }

    @Test
    void aRowThatIsNewerThanTheMarkIsLife() {
        kill(two, 2);
        pass(Duration.ofSeconds(2));
        assertThat(one.ids()).containsExactly(1, 3);
        table.rows.put("2", row(2, one.time.millis()));
        pass(MembershipSettings.DEFAULTS.refresh().plus(STEP));
        assertThat(one.ids()).containsExactly(1, 2, 3);
    }

    @Test
    void aBrokerThatJoinsLaterKnowsWhoIsDead() {
        kill(two, 2);
        pass(Duration.ofSeconds(2));
        assertThat(joined(4, "d").ids()).containsExactly(1, 3, 4);
    }

    @Test
    void aBrokerThatIsStartedAgainIsBackAtTheNextLook() {
        kill(two, 2);
        pass(Duration.ofSeconds(2));
        two = joined(2, "b");
        pass(INTERVAL.plus(STEP));
        assertAllSeeEachOther();
        assertThat(two.heard).isEmpty();
    }

    @Test
    void aBrokerThatLeavesIsGoneAtTheNextLook() {
        CompletableFuture<Void> left = two.membership.leave().toCompletableFuture();
        two.time.run();
        assertThat(left).isCompleted();
        machines.remove(two);
        pass(INTERVAL.plus(STEP));
        assertThat(one.ids()).containsExactly(1, 3);
        assertThat(three.ids()).containsExactly(1, 3);
        assertThat(heardByAll()).isEmpty();
        assertThat(signs.look("1").toCompletableFuture().join().signs()).containsOnlyKeys("1", "3");
    }

    @Test
    void aChangeOfTheLiveBrokersRaisesTheEpochByOneForAll() {
        int before = epochsTold().get(0);
        kill(two, 2);
        pass(INTERVAL.multipliedBy(4));
        assertThat(epochsTold()).hasSize(1).allMatch(epoch -> epoch > before);
        int after = epochsTold().get(0);
        pass(Duration.ofMinutes(5));
        assertThat(epochsTold()).containsExactly(after);
    }

    @Test
    void aBrokerThatSeesTheChangesLateDoesNotTakeThemBack() {
        // One that gives no signs is dropped by the age of its row, by each broker in a round of its own.
        table.rows.put("7", row(7, one.time.millis()));
        pass(MembershipSettings.DEFAULTS.refresh().plus(STEP));
        List<Integer> told = epochsTold();
        assertThat(told).hasSize(1);
        pass(MembershipSettings.DEFAULTS.staleAfter().plus(Duration.ofSeconds(4)));
        assertAllSeeEachOther();
        assertThat(epochsTold().get(0)).isGreaterThan(told.get(0));
        assertThat(idsOfEpochs.values().stream().filter(ids -> ids.equals(List.of(1, 2, 3, 7))))
                .hasSize(1);
    }

    @Test
    void brokersThatAreSlowBetweenLookingAndWritingPutNoOldSetOverANewOne() {
        for (int moment = 0; moment < 40; moment++) {
            Machine four = joined(4, "d");
            Machine five = joined(5, "e");
            pass(INTERVAL.plus(STEP));
            one.delay = Duration.ofMillis(120);
            two.delay = Duration.ofMillis(50);
            three.delay = Duration.ofMillis(80);
            kill(four, 4);
            pass(STEP.multipliedBy(moment));
            kill(five, 5);
            pass(Duration.ofSeconds(3));
            machines.forEach(machine -> machine.delay = Duration.ZERO);
            pass(INTERVAL.multipliedBy(3));
            assertAllSeeEachOther();
        }
        assertThat(epochs.refusals()).isPositive();
    }

    @Test
    void aStoreThatLostTheEpochGetsAHigherOneFromWhoWasTold() {
        int before = epochsTold().get(0);
        epochs.set(new MembershipEpochs.Epoch(3, "1,2,3"));
        pass(INTERVAL.plus(STEP));
        assertThat(epochs.present().toCompletableFuture().join().number()).isEqualTo(before);
        epochs.set(MembershipEpochs.Epoch.NONE);
        kill(two, 2);
        pass(INTERVAL.multipliedBy(4));
        assertThat(epochsTold()).hasSize(1).allMatch(epoch -> epoch > before);
    }

    @Test
    void signsThatAreRefusedAreLoggedOnceAndOnceWhenTheyWorkAgain() {
        Logger logger = (Logger) LoggerFactory.getLogger(SignWatch.class);
        logger.setLevel(Level.INFO);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            one.refused = true;
            pass(Duration.ofSeconds(3));
            one.refused = false;
            pass(Duration.ofSeconds(3));
        } finally {
            logger.setLevel(null);
            logger.detachAppender(lines);
        }
        assertThat(lines.list.stream().map(ILoggingEvent::getFormattedMessage))
                .containsExactly(
                        "signs of life are refused by the store, so dead brokers are noticed by the age of their rows alone",
                        "signs of life are accepted by the store again");
        assertThat(lines.list.get(0).getThrowableProxy().getMessage()).isEqualTo("the key: NOPERM");
    }

    @Test
    void aRowThatStaysLostIsLoggedOnce() {
        Logger logger = (Logger) LoggerFactory.getLogger(RegistryRow.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            for (int time = 0; time < 300; time++) {
                table.rows.remove("2");
                pass(Duration.ofMillis(100));
            }
            assertThat(lines.list).hasSize(1);
            pass(Duration.ofSeconds(25));
            table.rows.remove("2");
            pass(INTERVAL.plus(STEP));
            assertThat(lines.list).hasSize(2);
        } finally {
            logger.detachAppender(lines);
        }
    }

    @Test
    void settingsThatDoNotFitEachOtherAreRefused() {
        assertThatThrownBy(() -> new FailureDetection(signs, Duration.ofMillis(200), Duration.ofMillis(900), () -> 0))
                .hasMessageContaining("5 intervals <= timeout");
    }

    private static String row(int id, long heartbeat) {
        return BrokerNodeRow.write(new BrokerNode(id, new Endpoint("h", 9092), Map.of(), null, heartbeat));
    }

    /** Signs of a broker that gets no connection. */
    private record WithoutConnections(LifeSigns signs) implements LifeSigns {

        @Override
        public Presence appear(String member) {
            return new Presence() {
                @Override
                public long attempts() {
                    return 1;
                }

                @Override
                public void renew() {}

                @Override
                public void close() {}
            };
        }

        @Override
        public CompletionStage<Look> look(String member) {
            return signs.look(member);
        }

        @Override
        public CompletionStage<@Nullable String> write(String member, String expected, String text) {
            return signs.write(member, expected, text);
        }

        @Override
        public CompletionStage<Boolean> replace(String member, Sign seen, String row, String mark) {
            return signs.replace(member, seen, row, mark);
        }

        @Override
        public CompletionStage<Boolean> remove(String member, String expected) {
            return signs.remove(member, expected);
        }
    }
}
