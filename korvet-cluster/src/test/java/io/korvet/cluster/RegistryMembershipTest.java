package io.korvet.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.korvet.store.StoreException;
import io.korvet.store.time.ManualScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The registry's promises, in a time that is moved by hand. */
class RegistryMembershipTest {

    private static final Duration HEARTBEAT = MembershipSettings.DEFAULTS.heartbeat();
    private static final Duration STALE = MembershipSettings.DEFAULTS.staleAfter();
    private static final Duration REFRESH = MembershipSettings.DEFAULTS.refresh();

    private final FallibleHeartbeatTable table = new FallibleHeartbeatTable();
    private final ManualScheduler time = new ManualScheduler(Instant.parse("2026-01-01T00:00:00Z"));

    private RegistryMembership broker(int id, String host) {
        return broker(new BrokerNode(id, new Endpoint(host, 9092), Map.of(), null, 0), time);
    }

    private RegistryMembership broker(BrokerNode node, ManualScheduler scheduler) {
        return new RegistryMembership(node, table, MembershipSettings.DEFAULTS, scheduler, scheduler);
    }

    private RegistryMembership joined(int id, String host) {
        RegistryMembership broker = broker(id, host);
        done(broker.join());
        return broker;
    }

    private void done(CompletionStage<Void> stage) {
        CompletableFuture<Void> future = stage.toCompletableFuture();
        for (int turn = 0; turn < 100 && !future.isDone(); turn++) {
            time.run();
        }
        assertThat(future).isDone();
        future.join();
    }

    private static List<Integer> ids(RegistryMembership broker) {
        return broker.view().nodes().stream().map(BrokerNode::id).toList();
    }

    private long heartbeatOf(int id) {
        BrokerNode node = BrokerNodeRow.read("" + id, table.rows.getOrDefault("" + id, ""));
        return node == null ? -1 : node.heartbeatMilliseconds();
    }

    @Test
    void aBrokerIsInItsViewBeforeItJoins() {
        RegistryMembership broker = broker(0, "a");
        assertThat(ids(broker)).containsExactly(0);
        assertThat(broker.registered()).isFalse();
        assertThat(broker.lastSuccess()).isNull();
    }

    @Test
    void joiningWritesTheRowAndHeartbeatsRewriteItEveryTenSeconds() {
        RegistryMembership broker = joined(0, "a");
        long start = time.millis();
        assertThat(broker.registered()).isTrue();
        assertThat(heartbeatOf(0)).isEqualTo(start);
        time.advance(HEARTBEAT.minusMillis(1));
        assertThat(heartbeatOf(0)).isEqualTo(start);
        time.advance(Duration.ofMillis(1));
        assertThat(heartbeatOf(0)).isEqualTo(start + HEARTBEAT.toMillis());
        assertThat(broker.lastSuccess()).isEqualTo(time.instant());
    }

    @Test
    void brokersSeeEachOtherWithinOneRefreshAndListenersHearOfItOnce() {
        RegistryMembership one = joined(1, "a");
        List<ClusterView> heard = new ArrayList<>();
        one.onChange(view -> {
            throw new IllegalStateException("a listener that fails");
        });
        one.onChange(heard::add);
        RegistryMembership two = joined(2, "b");
        assertThat(ids(two)).containsExactly(1, 2);
        time.advance(REFRESH);
        assertThat(ids(one)).containsExactly(1, 2);
        ClusterView view = one.view();
        time.advance(STALE.multipliedBy(3));
        assertThat(heard).containsExactly(view);
        assertThat(one.view()).isSameAs(view);
    }

    @Test
    void aLiveBrokerAtAnotherEndpointKeepsItsIdAndTheStartingOneIsToldBothEndpoints() {
        RegistryMembership holder = joined(0, "a");
        String row = table.rows.get("0");
        RegistryMembership starting = broker(0, "b");
        assertThatThrownBy(() -> done(starting.join()))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(BrokerIdTakenException.class)
                .hasMessageContaining("a:9092")
                .hasMessageContaining("b:9092");
        assertThat(table.rows).containsEntry("0", row);
        done(starting.leave());
        time.advance(HEARTBEAT);
        assertThat(table.rows.get("0")).contains("\"host\":\"a\"");
        assertThat(holder.registered()).isTrue();
    }

    @Test
    void aRestartAtTheSameEndpointTakesItsRowOver() {
        joined(0, "a");
        ManualScheduler later = new ManualScheduler(time.instant().plusSeconds(5));
        RegistryMembership restarted =
                broker(new BrokerNode(0, new Endpoint("a", 9092), Map.of("host", new Endpoint("h", 1)), "r", 0), later);
        CompletableFuture<Void> join = restarted.join().toCompletableFuture();
        later.run();
        assertThat(join).isCompleted();
        assertThat(table.rows.get("0")).contains("\"rack\":\"r\"");
    }

    @Test
    void aStaleRowOfAnotherEndpointIsTakenOver() {
        table.rows.put("0", BrokerNodeRow.write(node(0, "gone", time.millis() - STALE.toMillis() - 1)));
        joined(0, "a");
        assertThat(table.rows.get("0")).contains("\"host\":\"a\"");
    }

    @Test
    void aRowThatIsJustNotStaleIsNotTakenOver() {
        table.rows.put("0", BrokerNodeRow.write(node(0, "there", time.millis() - STALE.toMillis())));
        RegistryMembership starting = broker(0, "a");
        assertThatThrownBy(() -> done(starting.join())).hasCauseInstanceOf(BrokerIdTakenException.class);
    }

    @Test
    void aBrokerWithoutSignOfLifeIsDroppedAfterThirtySecondsAndNotBefore() {
        RegistryMembership one = joined(1, "a");
        table.rows.put("2", BrokerNodeRow.write(node(2, "b", time.millis())));
        time.advance(REFRESH);
        assertThat(ids(one)).containsExactly(1, 2);
        time.advance(STALE.minus(REFRESH));
        assertThat(ids(one)).containsExactly(1, 2);
        time.advance(REFRESH);
        assertThat(ids(one)).containsExactly(1);
    }

    @Test
    void aBrokerWhoseClockIsWrongCountsAsLiveWhileItsRowChanges() {
        RegistryMembership one = joined(1, "a");
        ManualScheduler slow = new ManualScheduler(time.instant().minusSeconds(600));
        RegistryMembership two = broker(node(2, "b", 0), slow);
        var unused = two.join();
        slow.run();
        for (int second = 0; second < 60; second++) {
            slow.advance(Duration.ofSeconds(1));
            time.advance(Duration.ofSeconds(1));
            if (second > 15) {
                assertThat(ids(one)).containsExactly(1, 2);
                assertThat(ids(two)).containsExactly(1, 2);
            }
        }
    }

    @Test
    void aClockThatStepsMakesNobodyLookDead() {
        RegistryMembership one = joined(1, "a");
        joined(2, "b");
        time.advance(HEARTBEAT);
        time.stepClock(Duration.ofMinutes(10));
        time.advance(REFRESH);
        assertThat(ids(one)).containsExactly(1, 2);
        time.stepClock(Duration.ofMinutes(-20));
        time.advance(REFRESH.multipliedBy(2));
        assertThat(ids(one)).containsExactly(1, 2);
    }

    @Test
    void leavingRemovesTheOwnRowOnlyAndEndsHeartbeats() {
        RegistryMembership one = joined(1, "a");
        joined(2, "b");
        done(one.leave());
        done(one.leave());
        assertThat(table.rows).containsOnlyKeys("2");
        time.advance(STALE.multipliedBy(2));
        assertThat(table.rows).containsOnlyKeys("2");
        assertThat(one.registered()).isFalse();
    }

    @Test
    void leavingRemovesARowWhoseWriteWasNeverAnswered() {
        RegistryMembership one = joined(1, "a");
        table.mood = FallibleHeartbeatTable.Mood.LOSES_ANSWERS;
        time.advance(HEARTBEAT);
        table.mood = FallibleHeartbeatTable.Mood.ANSWERS;
        done(one.leave());
        assertThat(table.rows).isEmpty();
    }

    @Test
    void leavingLeavesARowThatIsAnothersByNow() {
        RegistryMembership one = joined(1, "a");
        String others = BrokerNodeRow.write(node(1, "b", time.millis()));
        table.rows.put("1", others);
        done(one.leave());
        assertThat(table.rows).containsEntry("1", others);
    }

    @Test
    void anOutageIsALineWithItsReasonAndOneForItsEnd() {
        Logger logger = (Logger) LoggerFactory.getLogger(RegistryMembership.class);
        logger.setLevel(Level.INFO);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        joined(1, "a");
        logger.addAppender(lines);
        try {
            table.mood = FallibleHeartbeatTable.Mood.AWAY;
            time.advance(STALE.multipliedBy(4));
            table.mood = FallibleHeartbeatTable.Mood.ANSWERS;
            time.advance(REFRESH);
        } finally {
            logger.setLevel(null);
            logger.detachAppender(lines);
        }
        assertThat(lines.list.stream().map(ILoggingEvent::getFormattedMessage))
                .containsExactly(
                        "the broker registry can't be kept up; the last view stays and it is tried again",
                        "the broker registry is reached again");
        assertThat(lines.list.get(0).getKeyValuePairs())
                .extracting(pair -> pair.key + "=" + pair.value)
                .containsExactly("brokerId=1", "reason=away");
        assertThat(lines.list.get(0).getThrowableProxy()).isNull();
    }

    @Test
    void whileTheStoreIsAwayTheViewStaysAndTheBrokerSaysThatItIsNotRegistered() {
        RegistryMembership one = joined(1, "a");
        joined(2, "b");
        time.advance(REFRESH);
        Instant last = one.lastSuccess();
        table.mood = FallibleHeartbeatTable.Mood.AWAY;
        time.advance(STALE.multipliedBy(4));
        assertThat(ids(one)).containsExactly(1, 2);
        assertThat(one.registered()).isFalse();
        assertThat(one.lastSuccess()).isEqualTo(last);
        assertThat(one.trouble()).isEqualTo("the registry can't be read or written since 2026-01-01T00:00:04Z: away");
        table.mood = FallibleHeartbeatTable.Mood.ANSWERS;
        time.advance(REFRESH);
        assertThat(ids(one)).containsExactly(1, 2);
        assertThat(one.registered()).isTrue();
        assertThat(one.trouble()).isNull();
        assertThat(one.lastSuccess()).isEqualTo(time.instant());
    }

    @Test
    void aRowThatSomebodyRemovedOrOverwroteIsWrittenAgainAtTheNextLookAndNobodysViewMoves() {
        RegistryMembership one = joined(1, "a");
        RegistryMembership two = joined(2, "b");
        time.advance(REFRESH);
        List<ClusterView> heard = new ArrayList<>();
        one.onChange(heard::add);
        two.onChange(heard::add);
        for (String left : List.of("", "garbage", BrokerNodeRow.write(node(2, "b", time.millis() - 60_000)))) {
            table.rows.clear();
            if (!left.isEmpty()) {
                table.rows.put("2", left);
            }
            time.advance(REFRESH);
            assertThat(heartbeatOf(1)).as(left).isEqualTo(time.millis());
            assertThat(heartbeatOf(2)).as(left).isEqualTo(time.millis());
            time.advance(HEARTBEAT);
            assertThat(one.registered() && two.registered()).as(left).isTrue();
        }
        assertThat(heard).isEmpty();
    }

    @Test
    void whileARowIsRemovedAgainAndAgainTheOthersAreStillSeenToComeAndGo() {
        RegistryMembership one = joined(1, "a");
        for (int round = 0; round < 4; round++) {
            table.rows.keySet().removeIf("1"::equals);
            table.rows.put("2", BrokerNodeRow.write(node(2, "b", time.millis())));
            time.advance(REFRESH);
        }
        assertThat(ids(one)).containsExactly(1, 2);
    }

    @Test
    void aWriteWithoutAnswerIsNoLostRow() {
        List<String> heard = new ArrayList<>();
        RegistryMembership one = new RegistryMembership(
                node(1, "a", 0), table, MembershipSettings.DEFAULTS, time, time, null, null, new MembershipObserver() {
                    @Override
                    public void lostRow() {
                        heard.add("lost row");
                    }
                });
        done(one.join());
        table.mood = FallibleHeartbeatTable.Mood.LOSES_ANSWERS;
        time.advance(HEARTBEAT);
        table.mood = FallibleHeartbeatTable.Mood.AWAY;
        time.advance(HEARTBEAT);
        table.mood = FallibleHeartbeatTable.Mood.ANSWERS;
        time.advance(HEARTBEAT.multipliedBy(3));
        assertThat(one.registered()).isTrue();
        assertThat(heard).isEmpty();
        table.rows.clear();
        time.advance(REFRESH);
        assertThat(heard).containsExactly("lost row");
    }

    @Test
    void aBrokerWhoseIdWasTakenSaysSoAndComesBackWhenTheOtherIsGone() {
        RegistryMembership one = joined(1, "a");
        table.rows.put("1", BrokerNodeRow.write(node(1, "b", time.millis())));
        time.advance(REFRESH);
        assertThat(one.registered()).isFalse();
        assertThat(one.trouble()).startsWith("broker id 1 is held by a live broker at b:9092");
        assertThat(table.rows.get("1")).contains("\"host\":\"b\"");
        joined(2, "c");
        time.advance(REFRESH);
        assertThat(ids(one)).containsExactly(1, 2);
        time.advance(STALE.plus(REFRESH));
        assertThat(one.registered()).isTrue();
        assertThat(table.rows.get("1")).contains("\"host\":\"a\"");
    }

    @Test
    void rowsThatAreNoBrokersArePassedOver() {
        table.rows.put("x", "{}");
        table.rows.put("5", "nonsense");
        assertThat(ids(joined(1, "a"))).containsExactly(1);
    }

    @Test
    void joiningFailsWhenTheStoreIsAway() {
        table.mood = FallibleHeartbeatTable.Mood.AWAY;
        RegistryMembership one = broker(1, "a");
        assertThatThrownBy(() -> done(one.join())).hasCauseInstanceOf(StoreException.class);
        assertThat(time.waiting()).isZero();
    }

    @Test
    void settingsThatDoNotFitEachOtherAreRefused() {
        assertThatThrownBy(() -> MembershipSettings.of(Duration.ofSeconds(30), Duration.ofSeconds(30)))
                .hasMessageContaining("expected 0 < refresh <= heartbeat < stale after");
        assertThat(MembershipSettings.of(Duration.ofMillis(100), Duration.ofMillis(300))
                        .refresh())
                .isEqualTo(Duration.ofMillis(100));
    }

    private static BrokerNode node(int id, String host, long heartbeat) {
        return new BrokerNode(id, new Endpoint(host, 9092), Map.of(), null, heartbeat);
    }
}
