package io.korvet.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.coordinator.GroupCoordinator.Stability;
import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Position;
import io.korvet.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class GroupCoordinatorTest {

    private static final CommittedOffsets.Key KEY = new CommittedOffsets.Key("orders", 0);
    private static final long DAY = 24L * 3_600_000;

    private final ManualTimers timers = new ManualTimers();
    private final MemoryImages images = new MemoryImages();
    private final MemoryCommits store = new MemoryCommits(images);
    private final Set<String> foreign = new HashSet<>();
    private final List<String> observed = new ArrayList<>();
    private final List<String> states = new ArrayList<>();
    private final GroupCoordinator coordinator = coordinator();
    private int ids;

    private GroupCoordinator coordinator() {
        return new GroupCoordinator(
                GroupSettings.DEFAULTS,
                GroupServices.alone(store, images, Runnable::run, timers, timers)
                        .coordinating(group -> !foreign.contains(group))
                        .reading(bytes -> Set.of(new String(bytes, StandardCharsets.UTF_8)))
                        .observedBy(new GroupObserver() {
                            @Override
                            public void committed(String group, Map<CommittedOffsets.Key, Position> positions) {
                                observed.add(group + positions.keySet());
                            }

                            @Override
                            public void removed(String group, Collection<CommittedOffsets.Key> keys) {
                                observed.add("no more " + group + keys);
                            }

                            @Override
                            public void stateChanged(String group, GroupState before, GroupState after) {
                                states.add(before + " to " + after);
                            }
                        })
                        .naming(name -> name + "-" + ++ids));
    }

    private static <T> T now(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        assertThat(future).isDone();
        return future.join();
    }

    private CompletionStage<JoinResult> join(String group, String memberId) {
        List<Protocol> protocols = List.of(new Protocol("range", "orders".getBytes(StandardCharsets.UTF_8)));
        return coordinator.join(
                new JoinRequest(group, memberId, null, "c", "/h", 10_000, 60_000, "consumer", protocols, false, true));
    }

    private String stableMember(String group) {
        CompletionStage<JoinResult> join = join(group, "");
        timers.pass(3_000);
        JoinResult joined = now(join);
        now(coordinator.sync(new SyncRequest(
                group,
                joined.memberId(),
                null,
                joined.generation(),
                null,
                null,
                Map.of(joined.memberId(), new byte[1]))));
        return joined.memberId();
    }

    private CompletionStage<CommitResult> commit(String group, String memberId, int generation, long offset) {
        return coordinator.commit(new CommitRequest(
                group, memberId, null, generation, List.of(new CommitRequest.Commit(KEY, offset, 0, "m", "id"))));
    }

    private long committed(String group) {
        Position position = now(coordinator.offsets(group, Stability.AS_THEY_ARE))
                .positions()
                .get(KEY);
        return position == null ? -1 : position.offset();
    }

    @Test
    void theStatesOfAGroupAreObserved() {
        String member = stableMember("g");
        now(coordinator.leave(new LeaveRequest("g", List.of(new LeaveRequest.Leaver(member, null)))));

        assertThat(states)
                .containsExactly(
                        "EMPTY to PREPARING_REBALANCE",
                        "PREPARING_REBALANCE to COMPLETING_REBALANCE",
                        "COMPLETING_REBALANCE to STABLE",
                        "STABLE to EMPTY");
    }

    @Test
    void commitOutsideAGroupIsAnsweredAfterTheStoreAndThenObserved() {
        store.hold();
        CompletionStage<CommitResult> commit = commit("g", "", -1, 5);
        assertThat(commit.toCompletableFuture()).isNotDone();
        assertThat(observed).isEmpty();

        store.release();

        assertThat(now(commit).error()).isEqualTo(GroupError.NONE);
        assertThat(committed("g")).isEqualTo(5);
        assertThat(store.groups.get("g")).containsEntry(KEY, new Position(5, 0, "m", timers.millis(), "id"));
        assertThat(observed).containsExactly("g[" + KEY + "]");
    }

    @Test
    void memberCommitsWithoutAnyReadOfTheStore() {
        String member = stableMember("g");
        int calls = store.calls;

        assertThat(now(commit("g", member, 1, 7)).error()).isEqualTo(GroupError.NONE);

        assertThat(store.calls).isEqualTo(calls + 1);
    }

    @Test
    void memberOfAnUnknownGroupIsToldThatThereIsNone() {
        assertThat(now(commit("g", "m", 3, 1)).error()).isEqualTo(GroupError.GROUP_ID_NOT_FOUND);
        assertThat(now(join("g", "m")).error()).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
        assertThat(now(coordinator.heartbeat(new HeartbeatRequest("g", "m", null, 3))))
                .isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
        assertThat(now(coordinator.leave(new LeaveRequest("g", List.of(new LeaveRequest.Leaver("m", null)))))
                        .members())
                .containsExactly(GroupError.UNKNOWN_MEMBER_ID);
        assertThat(now(coordinator.list())).isEmpty();
    }

    @Test
    void failureOfTheStoreIsAnsweredAsOneToTryAgain() {
        String member = stableMember("g");
        store.failWith(StoreException.Kind.UNAVAILABLE);

        assertThat(now(commit("g", member, 1, 7)).error()).isEqualTo(GroupError.COORDINATOR_NOT_AVAILABLE);
        assertThat(now(coordinator.offsets("g", Stability.AS_THEY_ARE)).error())
                .isEqualTo(GroupError.COORDINATOR_LOAD_IN_PROGRESS);
        assertThat(now(coordinator.heartbeat(new HeartbeatRequest("g", member, null, 1))))
                .isEqualTo(GroupError.NONE);

        store.failWith(null);
        assertThat(now(commit("g", member, 1, 7)).error()).isEqualTo(GroupError.NONE);
        assertThat(committed("g")).isEqualTo(7);
    }

    @Test
    void afterAWriteOfUnknownOutcomeTheStoreIsAskedAgain() {
        String member = stableMember("g");
        now(commit("g", member, 1, 7));
        assertThat(committed("g")).isEqualTo(7);
        store.failWith(StoreException.Kind.OUTCOME_UNKNOWN);
        now(commit("g", member, 1, 8));
        store.failWith(null);
        store.groups.put("g", new HashMap<>(Map.of(KEY, new Position(8, 0, "", 0, ""))));

        assertThat(committed("g")).isEqualTo(8);
    }

    @Test
    void requestsWaitWhileTheGroupIsLoaded() {
        store.groups.put("g", new HashMap<>(Map.of(KEY, new Position(3, 0, "", 0, ""))));
        store.hold();
        CompletionStage<OffsetsResult> first = coordinator.offsets("g", Stability.AS_THEY_ARE);
        CompletionStage<GroupDescription> second = coordinator.describe("g");
        assertThat(store.calls).isEqualTo(1);
        assertThat(first.toCompletableFuture()).isNotDone();

        store.release();

        assertThat(now(first).positions()).containsKey(KEY);
        assertThat(now(second).state()).isEqualTo(GroupState.EMPTY);
    }

    @Test
    void commitDuringALoadIsNotLostByIt() {
        store.groups.put("g", new HashMap<>(Map.of(KEY, new Position(3, 0, "", 0, ""))));
        String member = stableMember("g");
        store.hold();
        CompletionStage<OffsetsResult> load = coordinator.offsets("g", Stability.AFTER_WRITES_UNDER_WAY);
        CompletionStage<CommitResult> commit = commit("g", member, 1, 9);

        store.release();

        assertThat(now(commit).error()).isEqualTo(GroupError.NONE);
        assertThat(now(load).positions().get(KEY)).isNotNull();
        assertThat(committed("g")).isEqualTo(9);
    }

    @Test
    void stableFetchWaitsForCommitsUnderWay() {
        String member = stableMember("g");
        now(commit("g", member, 1, 1));
        assertThat(committed("g")).isEqualTo(1);
        store.hold();
        CompletionStage<CommitResult> commit = commit("g", member, 1, 2);

        CompletionStage<OffsetsResult> stable = coordinator.offsets("g", Stability.AFTER_WRITES_UNDER_WAY);

        assertThat(committed("g")).isEqualTo(1);
        assertThat(stable.toCompletableFuture()).isNotDone();
        store.release();
        assertThat(now(commit).error()).isEqualTo(GroupError.NONE);
        assertThat(now(stable).positions().get(KEY))
                .extracting(Position::offset)
                .isEqualTo(2L);
    }

    @Test
    void groupsWithPositionsAreThereAfterARestart() {
        now(commit("g", "", -1, 5));

        GroupCoordinator restarted = coordinator();

        assertThat(now(restarted.list())).containsExactly(new GroupListing("g", "", GroupState.EMPTY));
        assertThat(now(restarted.describe("g")).state()).isEqualTo(GroupState.EMPTY);
        assertThat(now(restarted.describe("x")).error()).isEqualTo(GroupError.GROUP_ID_NOT_FOUND);
        assertThat(now(restarted.delete("g"))).isEqualTo(GroupError.NONE);
        assertThat(now(restarted.delete("g"))).isEqualTo(GroupError.GROUP_ID_NOT_FOUND);
        assertThat(now(restarted.list())).isEmpty();
    }

    @Test
    void groupWithMembersIsDescribedAndCannotBeDeleted() {
        String member = stableMember("g");

        GroupDescription description = now(coordinator.describe("g"));

        assertThat(description.state()).isEqualTo(GroupState.STABLE);
        assertThat(description.protocolName()).isEqualTo("range");
        assertThat(description.members().get(0).memberId()).isEqualTo(member);
        assertThat(description.members().get(0).assignment()).hasSize(1);
        assertThat(now(coordinator.list())).containsExactly(new GroupListing("g", "consumer", GroupState.STABLE));
        assertThat(now(coordinator.delete("g"))).isEqualTo(GroupError.NON_EMPTY_GROUP);
    }

    @Test
    void positionsOfSubscribedTopicsAreNotDeleted() {
        String member = stableMember("g");
        CommittedOffsets.Key other = new CommittedOffsets.Key("other", 0);
        now(coordinator.commit(new CommitRequest(
                "g",
                member,
                null,
                1,
                List.of(new CommitRequest.Commit(KEY, 1, 0, "", ""), new CommitRequest.Commit(other, 1, 0, "", "")))));

        OffsetDeleteResult result = now(coordinator.deleteOffsets("g", List.of(KEY, other)));

        assertThat(result.subscribed()).containsExactly("orders");
        assertThat(store.groups.get("g")).containsOnlyKeys(KEY);
        assertThat(now(coordinator.deleteOffsets("x", List.of(KEY))).error()).isEqualTo(GroupError.GROUP_ID_NOT_FOUND);
    }

    @Test
    void requestsForGroupsOfOtherBrokersAreRefused() {
        foreign.add("g");

        assertThat(now(join("g", "")).error()).isEqualTo(GroupError.NOT_COORDINATOR);
        assertThat(now(coordinator.offsets("g", Stability.AS_THEY_ARE)).error()).isEqualTo(GroupError.NOT_COORDINATOR);
        assertThat(now(coordinator.delete("g"))).isEqualTo(GroupError.NOT_COORDINATOR);
    }

    @Test
    void groupThatMovesAwayIsLetGoAndWhoeverWaitsIsTold() {
        stableMember("g");
        CompletionStage<JoinResult> waiting = join("g", "");
        assertThat(waiting.toCompletableFuture()).isNotDone();
        foreign.add("g");

        coordinator.ownershipChanged();

        assertThat(now(waiting).error()).isEqualTo(GroupError.NOT_COORDINATOR);
        assertThat(now(coordinator.list())).isEmpty();
        assertThat(timers.isQuiet()).isTrue();
    }

    @Test
    void closedCoordinatorSendsEverybodyAway() {
        CompletionStage<JoinResult> waiting = join("g", "");

        coordinator.close();

        assertThat(now(waiting).error()).isEqualTo(GroupError.NOT_COORDINATOR);
        assertThat(now(join("g", "")).error()).isEqualTo(GroupError.NOT_COORDINATOR);
    }

    @Test
    void unusableRequestsAreRefusedAtOnce() {
        assertThat(now(join("", "")).error()).isEqualTo(GroupError.INVALID_GROUP_ID);
        JoinRequest hasty = new JoinRequest("g", "", null, "c", "/h", 5_999, 1, "consumer", List.of(), false, true);
        assertThat(now(coordinator.join(hasty)).error()).isEqualTo(GroupError.INVALID_SESSION_TIMEOUT);
    }

    @Test
    void unknownGroupsLeaveNothingInMemory() {
        committed("unknown");
        now(coordinator.describe("unknown"));

        assertThat(now(coordinator.list())).isEmpty();
        assertThat(store.calls).isEqualTo(3);
        committed("unknown");
        assertThat(store.calls).isEqualTo(4);
    }

    @Test
    void positionsExpireWhenTheGroupHasBeenEmptyLongEnough() {
        String member = stableMember("g");
        now(commit("g", member, 1, 5));
        for (int i = 0; i < 3 * DAY / 9_000; i++) {
            timers.pass(9_000);
            now(coordinator.heartbeat(new HeartbeatRequest("g", member, null, 1)));
        }
        timers.pass(20_000);
        assertThat(now(coordinator.describe("g")).state()).isEqualTo(GroupState.EMPTY);

        timers.pass(7 * DAY - 60_000);
        now(coordinator.expire());
        assertThat(committed("g")).isEqualTo(5);

        timers.pass(60_000);
        now(coordinator.expire());
        assertThat(store.groups).isEmpty();
        assertThat(observed).last().isEqualTo("no more g[" + KEY + "]");
        now(coordinator.expire());
        assertThat(now(coordinator.list())).isEmpty();
    }

    @Test
    void removalOfPositionsIsObservedOnceTheStoreHasDoneIt() {
        now(commit("g", "", -1, 5));
        now(commit("h", "", -1, 5));
        now(commit("i", "", -1, 5));
        observed.clear();
        store.failWith(StoreException.Kind.UNAVAILABLE);
        now(coordinator.delete("g"));
        assertThat(observed).isEmpty();
        store.failWith(null);

        now(coordinator.delete("g"));
        now(coordinator.deleteOffsets("h", List.of(KEY, new CommittedOffsets.Key("orders", 1))));
        now(coordinator.forgetTopics(Map.of("orders", "id")));

        assertThat(observed)
                .containsExactly("no more g[" + KEY + "]", "no more h[" + KEY + "]", "no more i[" + KEY + "]");
    }

    @Test
    void groupOfAnEarlierLifeIsWatchedBeforeItsPositionsExpire() {
        store.groups.put("g", new HashMap<>(Map.of(KEY, new Position(3, 0, "", 0, ""))));
        now(coordinator.expire());
        assertThat(store.groups).containsKey("g");

        timers.pass(GroupSettings.DEFAULTS.maxSessionTimeout());
        now(coordinator.expire());

        assertThat(store.groups).isEmpty();
    }

    @Test
    void positionsOfDeletedTopicsAreForgotten() {
        now(commit("g", "", -1, 5));
        now(commit("h", "", -1, 5));

        now(coordinator.forgetTopics(Map.of("orders", "another incarnation")));
        assertThat(store.groups).containsOnlyKeys("g", "h");
        now(coordinator.forgetTopics(Map.of("orders", "id")));

        assertThat(store.groups).isEmpty();
        assertThat(committed("g")).isEqualTo(-1);
    }
}
