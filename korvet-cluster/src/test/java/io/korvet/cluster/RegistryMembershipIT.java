package io.korvet.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.korvet.store.Stages;
import io.korvet.store.StoreException;
import io.korvet.store.redis.RedisServerBinary;
import io.korvet.store.redis.RedisServerProcess;
import io.korvet.store.redis.RedisStore;
import io.korvet.store.redis.RedisStoreOptions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The registry in each Redis server that this machine has, with a real scheduler and a fast rhythm. */
class RegistryMembershipIT {

    private static final String SERVERS = "io.korvet.store.redis.RedisServerBinary#all";
    private static final MembershipSettings FAST =
            MembershipSettings.of(Duration.ofMillis(50), Duration.ofMillis(1000));

    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void endScheduler() {
        scheduler.shutdownNow();
    }

    private RegistryMembership broker(RedisStore store, int id, String host) {
        BrokerNode node = new BrokerNode(id, new Endpoint(host, 9092), Map.of(), null, 0);
        return new RegistryMembership(
                node,
                store.brokers(),
                FAST,
                scheduler,
                InstantSource.system(),
                store.membershipEpochs(),
                null,
                MembershipObserver.NONE);
    }

    private RegistryMembership watching(RedisStore store, int id, MembershipObserver observer) {
        return watching(store, new BrokerNode(id, new Endpoint("h" + id, 9092), Map.of(), null, 0), observer);
    }

    private RegistryMembership watching(RedisStore store, BrokerNode node, MembershipObserver observer) {
        FailureDetection detection = new FailureDetection(
                store.lifeSigns(), Duration.ofMillis(100), Duration.ofSeconds(5), System::nanoTime);
        return new RegistryMembership(
                node,
                store.brokers(),
                MembershipSettings.DEFAULTS,
                scheduler,
                InstantSource.system(),
                store.membershipEpochs(),
                detection,
                observer);
    }

    private static RedisStore open(RedisServerProcess server) {
        return Stages.await(
                RedisStore.open(RedisStoreOptions.of(server.uri()).withCommandTimeout(Duration.ofSeconds(1))));
    }

    private static List<Integer> ids(RegistryMembership broker) {
        return broker.view().nodes().stream().map(BrokerNode::id).toList();
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void brokersFindEachOtherAndOneThatLeavesIsGoneAtOnce(RedisServerBinary binary) {
        try (RedisServerProcess server = RedisServerProcess.start(binary);
                RedisStore store = open(server)) {
            RegistryMembership one = broker(store, 1, "a");
            RegistryMembership two = broker(store, 2, "b");
            Stages.await(one.join());
            Stages.await(two.join());
            await().until(() -> ids(one).equals(List.of(1, 2)));
            assertThat(server.command("HGET", "korvet:broker:nodes", "2")).contains("\"host\":\"b\",\"port\":9092");
            assertThatThrownBy(() -> Stages.await(broker(store, 2, "c").join()))
                    .isInstanceOf(BrokerIdTakenException.class)
                    .hasMessageContaining("b:9092")
                    .hasMessageContaining("c:9092");
            Stages.await(two.leave());
            await().until(() -> ids(one).equals(List.of(1)));
            Stages.await(one.leave());
            assertThat(server.command("EXISTS", "korvet:broker:nodes")).isEqualTo(":0\r\n");
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    @SuppressWarnings("try") // closed early
    void aBrokerWhoseSocketsCloseIsDeclaredDeadAtOnceAndOneThatLosesThemIsNot(RedisServerBinary binary) {
        Queue<String> deaths = new ConcurrentLinkedQueue<>();
        MembershipObserver observer = new MembershipObserver() {
            @Override
            public void declaredDead(int brokerId, Evidence evidence) {
                deaths.add(brokerId + " " + evidence);
            }

            @Override
            public void foundDeclaredDead() {
                deaths.add("false alarm");
            }
        };
        try (RedisServerProcess server = RedisServerProcess.start(binary);
                RedisStore first = open(server);
                RedisStore second = open(server);
                RedisStore third = open(server)) {
            RegistryMembership one = watching(first, 1, observer);
            RegistryMembership two = watching(second, 2, observer);
            RegistryMembership three = watching(third, 3, observer);
            Stages.await(one.join());
            Stages.await(two.join());
            Stages.await(three.join());
            List<Integer> all = List.of(1, 2, 3);
            await().until(() ->
                    ids(one).equals(all) && ids(two).equals(all) && ids(three).equals(all));
            awaitConnected(server, 3);
            for (int cut = 0; cut < 5; cut++) {
                server.command("CLIENT", "KILL", "TYPE", "pubsub");
                server.command("CLIENT", "KILL", "TYPE", "normal");
                await().during(Duration.ofMillis(600))
                        .until(() -> ids(one).equals(all) && ids(three).equals(all));
                awaitConnected(server, 3);
            }
            assertThat(deaths).isEmpty();

            second.close();
            await().atMost(Duration.ofSeconds(2))
                    .until(() -> ids(one).equals(List.of(1, 3)) && ids(three).equals(List.of(1, 3)));
            assertThat(deaths).containsExactly("2 CONNECTION");
            assertThat(server.command("HGET", "{korvet:broker:nodes}:signs", "2"))
                    .contains("dead ");
            Stages.await(three.leave());
            await().atMost(Duration.ofSeconds(1)).until(() -> ids(one).equals(List.of(1)));
            assertThat(deaths).containsExactly("2 CONNECTION");
        }
    }

    private static void awaitConnected(RedisServerProcess server, int brokers) {
        await().until(() -> IntStream.rangeClosed(1, brokers)
                .allMatch(id -> server.command("PUBSUB", "NUMSUB", "{korvet:broker:nodes}:signs:" + id)
                        .endsWith(":1\r\n")));
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void aRedisThatGoesAndComesBackEmptyFindsTheBrokersRegisteredAgain(RedisServerBinary binary) {
        try (RedisServerProcess server = RedisServerProcess.start(binary);
                RedisStore store = open(server)) {
            RegistryMembership one = broker(store, 1, "a");
            RegistryMembership two = broker(store, 2, "b");
            Stages.await(one.join());
            Stages.await(two.join());
            await().until(() -> ids(one).equals(List.of(1, 2)));
            server.kill();
            await().until(() -> !one.registered() && !two.registered());
            assertThat(ids(two)).containsExactly(1, 2);
            server.restart();
            await().atMost(Duration.ofSeconds(30)).until(() -> one.registered() && two.registered());
            await().until(() -> ids(one).equals(List.of(1, 2)) && ids(two).equals(List.of(1, 2)));
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void brokersAgreeOnAnEpochThatNeverFallsAlsoWhenRedisIsEmptied(RedisServerBinary binary) {
        try (RedisServerProcess server = RedisServerProcess.start(binary);
                RedisStore first = open(server);
                RedisStore second = open(server)) {
            RegistryMembership one = watching(first, 1, MembershipObserver.NONE);
            RegistryMembership two = watching(second, 2, MembershipObserver.NONE);
            Stages.await(one.join());
            int alone = one.view().leaderEpoch();
            assertThat(alone).isBetween(1, (int) secondsSince2026());
            Stages.await(two.join());
            int together = awaitTheSameView(one, two, alone);
            assertThat(server.command("HGET", "{korvet:broker:nodes}:epoch", "brokers"))
                    .contains("1,2");
            assertThat(server.command("HGET", "{korvet:broker:nodes}:epoch", "epoch"))
                    .contains("" + together);

            server.command("FLUSHALL");
            // Nobody's view moved, so the number may stay; it is stored again.
            await().until(() -> server.command("HGET", "{korvet:broker:nodes}:epoch", "brokers")
                    .contains("1,2"));
            int emptied = awaitTheSameView(one, two, together - 1);

            server.kill();
            server.restart();
            // They may not have noticed yet, so that they are registered says little.
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> answers(first) && answers(second) && one.registered() && two.registered());
            Stages.await(two.leave());
            await().atMost(Duration.ofSeconds(30)).until(() -> ids(one).equals(List.of(1)));
            int left = one.view().leaderEpoch();
            assertThat(left).isGreaterThan(emptied);

            // Nobody who was told is there any more, and Redis has lost everything: its clock alone keeps the order.
            Stages.await(one.leave());
            await().until(() -> secondsSince2026() > left);
            server.command("FLUSHALL");
            RegistryMembership three = watching(first, 3, MembershipObserver.NONE);
            Stages.await(three.join());
            assertThat(three.view().leaderEpoch()).isGreaterThan(left);
            Stages.await(three.leave());
        }
    }

    private static boolean answers(RedisStore store) {
        try {
            Stages.await(store.ping());
            return true;
        } catch (StoreException e) {
            return false;
        }
    }

    private static long secondsSince2026() {
        return Duration.between(Instant.parse("2026-01-01T00:00:00Z"), Instant.now())
                .toSeconds();
    }

    /** Until both see both at one epoch above another; neither may tell a lower one meanwhile. */
    private static int awaitTheSameView(RegistryMembership one, RegistryMembership two, int above) {
        int[] told = {0, 0};
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> {
                    int[] now = {one.view().leaderEpoch(), two.view().leaderEpoch()};
                    assertThat(now[0]).isGreaterThanOrEqualTo(told[0]);
                    assertThat(now[1]).isGreaterThanOrEqualTo(told[1]);
                    told[0] = now[0];
                    told[1] = now[1];
                    return ids(one).equals(List.of(1, 2))
                            && ids(two).equals(List.of(1, 2))
                            && now[0] == now[1]
                            && now[0] > above;
                });
        return told[0];
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    @SuppressWarnings("try") // closed early
    void whateverIsStoredAsTheEpochADeadBrokerIsGoneFromTheViews(RedisServerBinary binary) {
        String key = "{korvet:broker:nodes}:epoch";
        try (RedisServerProcess server = RedisServerProcess.start(binary);
                RedisStore first = open(server)) {
            RegistryMembership one = watching(first, 1, MembershipObserver.NONE);
            Stages.await(one.join());
            for (String number : List.of("99999999999", "2147483647", "-5", "nonsense")) {
                try (RedisStore second = open(server)) {
                    RegistryMembership two = watching(second, 2, MembershipObserver.NONE);
                    Stages.await(two.join());
                    int together = awaitTheSameView(one, two, 0);
                    awaitConnected(server, 2);
                    server.command("HSET", key, "epoch", number);
                    second.close();
                    await().atMost(Duration.ofSeconds(3)).until(() -> ids(one).equals(List.of(1)));
                    await().until(() -> one.view().leaderEpoch() > together);
                    assertThat((long) one.view().leaderEpoch()).isLessThanOrEqualTo(secondsSince2026() + 100);
                    await().until(() -> server.command("HGET", key, "epoch")
                            .contains("" + one.view().leaderEpoch()));
                }
            }
            server.command("DEL", key);
            server.command("SET", key, "of another type");
            RegistryMembership two = watching(first, 2, MembershipObserver.NONE);
            assertThatThrownBy(() -> Stages.await(two.join())).hasMessageContaining("WRONGTYPE");
            await().atMost(Duration.ofSeconds(3)).until(() -> ids(one).equals(List.of(1, 2)));
            Stages.await(two.leave());
            await().atMost(Duration.ofSeconds(3)).until(() -> ids(one).equals(List.of(1)));
            Stages.await(one.leave());
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void aRegistryThatIsRemovedIsWrittenAgainAtOnceAndARowOfJunkToo(RedisServerBinary binary) {
        Queue<String> lost = new ConcurrentLinkedQueue<>();
        MembershipObserver observer = new MembershipObserver() {
            @Override
            public void lostRow() {
                lost.add("row");
            }
        };
        try (RedisServerProcess server = RedisServerProcess.start(binary);
                RedisStore first = open(server);
                RedisStore second = open(server)) {
            RegistryMembership one = watching(first, 1, observer);
            RegistryMembership two = watching(second, 2, observer);
            Stages.await(one.join());
            Stages.await(two.join());
            awaitTheSameView(one, two, 0);
            for (List<String> damage : List.of(
                    List.of("DEL", "korvet:broker:nodes"),
                    List.of("HSET", "korvet:broker:nodes", "2", "garbage"),
                    List.of("FLUSHALL"))) {
                lost.clear();
                server.command(damage.toArray(String[]::new));
                await().atMost(Duration.ofSeconds(4))
                        .until(() -> !lost.isEmpty()
                                && server.command("HGET", "korvet:broker:nodes", "2")
                                        .contains("\"host\":\"h2\"")
                                && server.command("HGET", "korvet:broker:nodes", "1")
                                        .contains("\"host\":\"h1\""));
                await().atMost(Duration.ofSeconds(4))
                        .until(() -> ids(one).equals(List.of(1, 2)) && ids(two).equals(List.of(1, 2)));
                assertThat(one.registered() && two.registered()).isTrue();
            }
            Stages.await(one.leave());
            Stages.await(two.leave());
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void theIdOfABrokerThatDiedIsFreeForAnotherEndpointAsSoonAsItIsDeclaredDead(RedisServerBinary binary) {
        try (RedisServerProcess server = RedisServerProcess.start(binary);
                RedisStore first = open(server);
                RedisStore third = open(server)) {
            RegistryMembership one = watching(first, 1, MembershipObserver.NONE);
            Stages.await(one.join());
            try (RedisStore second = open(server)) {
                RegistryMembership two = watching(second, 2, MembershipObserver.NONE);
                Stages.await(two.join());
                awaitTheSameView(one, two, 0);
                awaitConnected(server, 2);
                assertThatThrownBy(() -> Stages.await(broker(third, 2, "heir").join()))
                        .isInstanceOf(BrokerIdTakenException.class);
            }
            await().atMost(Duration.ofSeconds(3)).until(() -> ids(one).equals(List.of(1)));
            BrokerNode node = new BrokerNode(2, new Endpoint("heir", 9092), Map.of(), null, 0);
            RegistryMembership heir = watching(third, node, MembershipObserver.NONE);
            Stages.await(heir.join());
            await().atMost(Duration.ofSeconds(3)).until(() -> ids(one).equals(List.of(1, 2)));
            assertThat(server.command("HGET", "korvet:broker:nodes", "2")).contains("\"host\":\"heir\"");
            Stages.await(heir.leave());
            Stages.await(one.leave());
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void withoutSignsOfLifeEpochsAreFoundInRounds(RedisServerBinary binary) {
        try (RedisServerProcess server = RedisServerProcess.start(binary);
                RedisStore store = open(server)) {
            RegistryMembership one = broker(store, 1, "a");
            RegistryMembership two = broker(store, 2, "b");
            Stages.await(one.join());
            Stages.await(two.join());
            int together = awaitTheSameView(one, two, 0);
            server.command("HSET", "{korvet:broker:nodes}:epoch", "epoch", "" + (together + 5));
            assertThat(awaitTheSameView(one, two, together)).isEqualTo(together + 5);
            server.command("HSET", "{korvet:broker:nodes}:epoch", "epoch", "nonsense");
            await().until(() -> server.command("HGET", "{korvet:broker:nodes}:epoch", "epoch")
                    .contains("" + (together + 5)));
        }
    }
}
