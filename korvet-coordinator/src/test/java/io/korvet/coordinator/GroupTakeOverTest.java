package io.korvet.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.coordinator.GroupCoordinator.Stability;
import io.korvet.coordinator.LeaveRequest.Leaver;
import io.korvet.store.CommittedOffsets;
import io.korvet.store.GroupImages.State;
import io.korvet.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Groups that go from one coordinator to another, both over the same store. */
class GroupTakeOverTest {

    private static final String GROUP = "g";
    private static final int SESSION = 10_000;
    private static final CommittedOffsets.Key KEY = new CommittedOffsets.Key("orders", 0);

    private final MemoryImages images = new MemoryImages();
    private final MemoryCommits commits = new MemoryCommits(images);
    private final List<ImageEvent> events = new ArrayList<>();
    private final List<String> states = new ArrayList<>();
    private final Broker first = new Broker();
    private final Broker second = new Broker();
    private int ids;

    /** A coordinator with a clock of its own. */
    private final class Broker {
        final ManualTimers timers = new ManualTimers();
        final Set<String> foreign = new HashSet<>();
        final GroupCoordinator coordinator = new GroupCoordinator(
                GroupSettings.DEFAULTS.withInitialRebalanceDelay(0),
                GroupServices.alone(commits, images, Runnable::run, timers, timers)
                        .coordinating(group -> !foreign.contains(group))
                        .observedBy(new GroupObserver() {
                            @Override
                            public void committed(
                                    String group, Map<CommittedOffsets.Key, CommittedOffsets.Position> positions) {}

                            @Override
                            public void stateChanged(String group, GroupState before, GroupState after) {
                                states.add(before + " to " + after);
                            }

                            @Override
                            public void image(String group, ImageEvent event) {
                                events.add(event);
                            }
                        })
                        .naming(name -> name + "-" + ++ids));

        CompletionStage<JoinResult> join(String group, String member, String instance, byte[] metadata) {
            List<Protocol> protocols = List.of(new Protocol("range", metadata));
            return coordinator.join(new JoinRequest(
                    group,
                    member,
                    instance.isEmpty() ? null : instance,
                    "c",
                    "/h",
                    SESSION,
                    60_000,
                    "consumer",
                    protocols,
                    false,
                    true));
        }

        CompletionStage<JoinResult> join(String member) {
            CompletionStage<JoinResult> join = join(GROUP, member, "", new byte[] {1});
            timers.pass(0);
            return join;
        }

        CompletionStage<SyncResult> sync(String member, int generation, Map<String, byte[]> assignments) {
            return coordinator.sync(new SyncRequest(GROUP, member, null, generation, "consumer", "range", assignments));
        }

        GroupError heartbeat(String member, int generation) {
            return now(coordinator.heartbeat(new HeartbeatRequest(GROUP, member, null, generation)));
        }

        GroupError commit(String member, int generation, long offset) {
            return now(coordinator.commit(new CommitRequest(
                            GROUP,
                            member,
                            null,
                            generation,
                            List.of(new CommitRequest.Commit(KEY, offset, 0, "", "id")))))
                    .error();
        }

        GroupState state() {
            return now(coordinator.describe(GROUP)).state();
        }

        /** A stable group of two in generation 2, the leader first. */
        List<String> stablePair() {
            String leader = now(join("")).memberId();
            now(sync(leader, 1, Map.of(leader, bytes("all"))));
            CompletionStage<JoinResult> other = join("");
            CompletionStage<JoinResult> again = join(leader);
            JoinResult joined = now(other);
            assertThat(now(again).generation()).isEqualTo(2);
            CompletionStage<SyncResult> follower = sync(joined.memberId(), 2, Map.of());
            now(sync(leader, 2, Map.of(leader, bytes("half"), joined.memberId(), bytes("rest"))));
            assertThat(text(now(follower))).isEqualTo("rest");
            return List.of(leader, joined.memberId());
        }
    }

    private static <T> T now(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        assertThat(future).isDone();
        return future.join();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(SyncResult result) {
        return new String(result.assignment(), StandardCharsets.UTF_8);
    }

    @Test
    void membersOfALostCoordinatorGoOnInTheirGeneration() {
        List<String> members = first.stablePair();
        assertThat(first.commit(members.get(0), 2, 7)).isEqualTo(GroupError.NONE);
        states.clear();

        assertThat(second.heartbeat(members.get(0), 2)).isEqualTo(GroupError.NONE);
        assertThat(second.commit(members.get(1), 2, 8)).isEqualTo(GroupError.NONE);
        assertThat(text(now(second.sync(members.get(1), 2, Map.of())))).isEqualTo("rest");
        assertThat(now(second.join(members.get(1))).generation()).isEqualTo(2);

        assertThat(now(second.coordinator.offsets(GROUP, Stability.AS_THEY_ARE)).positions())
                .hasEntrySatisfying(
                        KEY, position -> assertThat(position.offset()).isEqualTo(8));
        assertThat(now(second.coordinator.describe(GROUP)))
                .usingRecursiveComparison()
                .isEqualTo(now(first.coordinator.describe(GROUP)));
        assertThat(states).as("no rebalance is seen").isEmpty();
        assertThat(events).contains(ImageEvent.RESTORED).doesNotContain(ImageEvent.CLAIMED);
    }

    @Test
    void aMemberThatIsGoneWithTheCoordinatorIsMissedASessionTimeoutLater() {
        List<String> members = first.stablePair();
        assertThat(second.heartbeat(members.get(0), 2)).isEqualTo(GroupError.NONE);

        second.timers.pass(SESSION - 1);
        assertThat(second.heartbeat(members.get(0), 2)).isEqualTo(GroupError.NONE);
        second.timers.pass(1);

        assertThat(second.heartbeat(members.get(0), 2)).isEqualTo(GroupError.REBALANCE_IN_PROGRESS);
        assertThat(now(second.join(members.get(0))).generation()).isEqualTo(3);
        assertThat(images.image(GROUP).members()).hasSize(1);
    }

    @Test
    void aRebalanceThatWasUnderWayIsBegunAnewAndMembersKeepTheirIds() {
        List<String> members = first.stablePair();
        CompletionStage<JoinResult> third = first.join("");
        assertThat(third.toCompletableFuture()).isNotDone();

        assertThat(second.heartbeat(members.get(0), 2)).isEqualTo(GroupError.REBALANCE_IN_PROGRESS);
        assertThat(second.commit(members.get(0), 2, 9)).isEqualTo(GroupError.NONE);
        CompletionStage<JoinResult> leader = second.join(members.get(0));
        CompletionStage<JoinResult> newcomer = second.join("");
        CompletionStage<JoinResult> follower = second.join(members.get(1));

        assertThat(now(follower).generation()).isEqualTo(3);
        assertThat(now(newcomer).generation()).isEqualTo(3);
        assertThat(now(leader).members())
                .extracting(JoinResult.JoinedMember::memberId)
                .containsExactlyInAnyOrder(
                        members.get(0), members.get(1), now(newcomer).memberId());
    }

    @Test
    void aGenerationWithoutAssignmentIsNeverGivenAgain() {
        String leader = now(first.join("")).memberId();
        assertThat(images.image(GROUP).state()).isEqualTo(State.REBALANCING);

        assertThat(now(second.sync(leader, 1, Map.of(leader, bytes("all")))).error())
                .isEqualTo(GroupError.REBALANCE_IN_PROGRESS);
        assertThat(now(second.join(leader)).generation()).isEqualTo(2);
    }

    @Test
    void nothingIsPromisedBeforeItIsStored() {
        CompletionStage<JoinResult> join = first.join("x", "", "", new byte[0]);
        images.hold();
        first.timers.pass(0);
        assertThat(join.toCompletableFuture()).isNotDone();
        images.release();
        JoinResult joined = now(join);
        images.hold();
        CompletionStage<SyncResult> sync = first.coordinator.sync(
                new SyncRequest("x", joined.memberId(), null, 1, null, null, Map.of(joined.memberId(), bytes("all"))));
        CompletionStage<SyncResult> again =
                first.coordinator.sync(new SyncRequest("x", joined.memberId(), null, 1, null, null, Map.of()));
        CompletionStage<GroupError> heartbeat =
                first.coordinator.heartbeat(new HeartbeatRequest("x", joined.memberId(), null, 1));

        assertThat(sync.toCompletableFuture()).isNotDone();
        assertThat(again.toCompletableFuture()).isNotDone();
        assertThat(now(heartbeat)).isEqualTo(GroupError.NONE);
        images.release();
        assertThat(text(now(sync))).isEqualTo("all");
        assertThat(text(now(again))).isEqualTo("all");
        assertThat(images.image("x").state()).isEqualTo(State.STABLE);
    }

    @Test
    void aStaleCoordinatorLetsGoOfTheGroupWhenItWantsToWrite() {
        List<String> members = first.stablePair();
        assertThat(second.heartbeat(members.get(0), 2)).isEqualTo(GroupError.NONE);

        CompletionStage<JoinResult> waiting = first.join(members.get(0));

        assertThat(now(waiting).error()).isEqualTo(GroupError.NOT_COORDINATOR);
        assertThat(events).endsWith(ImageEvent.CLAIMED);
        assertThat(images.image(GROUP).state()).isEqualTo(State.STABLE);
        assertThat(second.heartbeat(members.get(1), 2)).isEqualTo(GroupError.NONE);
        assertThat(first.heartbeat(members.get(1), 2)).as("read again").isEqualTo(GroupError.NONE);
    }

    @Test
    void aStaleCoordinatorAsksBeforeItSendsAMemberAway() {
        List<String> members = first.stablePair();
        second.heartbeat(members.get(0), 2);
        CompletionStage<JoinResult> newcomer = second.join("");
        second.join(members.get(0));
        second.join(members.get(1));
        String third = now(newcomer).memberId();
        first.timers.pass(2_000);

        assertThat(first.heartbeat(third, 3)).isEqualTo(GroupError.NOT_COORDINATOR);
        assertThat(first.heartbeat(third, 3)).isEqualTo(GroupError.REBALANCE_IN_PROGRESS);
    }

    @Test
    void membersThatAreReallyUnknownAreToldSoAndTheStoreIsNotAskedForEach() {
        List<String> members = first.stablePair();
        first.timers.pass(2_000);
        images.hold();
        CompletionStage<GroupError> asked = first.coordinator.heartbeat(new HeartbeatRequest(GROUP, "nobody", null, 2));
        assertThat(asked.toCompletableFuture()).isNotDone();
        assertThat(first.heartbeat(members.get(0), 2)).isEqualTo(GroupError.NONE);
        images.release();

        assertThat(now(asked)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
        images.failWith(StoreException.Kind.UNAVAILABLE);
        assertThat(first.heartbeat("nobody", 2)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
        first.timers.pass(2_000);
        assertThat(first.heartbeat("nobody", 2)).as("the store is away").isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
    }

    @Test
    void aGroupThatComesBackIsReadAgain() {
        List<String> members = first.stablePair();
        first.foreign.add(GROUP);
        first.coordinator.ownershipChanged();
        second.heartbeat(members.get(0), 2);
        now(second.coordinator.leave(new LeaveRequest(GROUP, List.of(new Leaver(members.get(1), null)))));
        assertThat(now(second.join(members.get(0))).generation()).isEqualTo(3);
        now(second.sync(members.get(0), 3, Map.of(members.get(0), bytes("all"))));
        second.foreign.add(GROUP);
        second.coordinator.ownershipChanged();
        first.foreign.clear();

        assertThat(first.heartbeat(members.get(1), 2)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
        assertThat(first.heartbeat(members.get(0), 3)).isEqualTo(GroupError.NONE);
    }

    @Test
    void withoutTheStoreGroupsGoOnAndAreStoredLater() {
        String leader = now(first.join("")).memberId();
        events.clear();
        images.failWith(StoreException.Kind.UNAVAILABLE);

        assertThat(text(now(first.sync(leader, 1, Map.of(leader, bytes("all"))))))
                .isEqualTo("all");
        assertThat(first.heartbeat(leader, 1)).isEqualTo(GroupError.NONE);
        CompletionStage<JoinResult> other = first.join("");
        now(first.join(leader));
        assertThat(now(other).generation()).isEqualTo(2);
        assertThat(events).containsOnly(ImageEvent.UNSAVED);
        images.failWith(null);
        first.timers.pass(2_000);
        assertThat(first.heartbeat(leader, 2)).isEqualTo(GroupError.NONE);

        assertThat(events).endsWith(ImageEvent.SAVED);
        assertThat(images.image(GROUP).generation()).isEqualTo(2);
        assertThat(images.image(GROUP).members()).hasSize(2);
    }

    @Test
    void aGroupThatCanNotBeReadYetSendsNobodyAway() {
        List<String> members = first.stablePair();
        images.failWith(StoreException.Kind.OUTCOME_UNKNOWN);

        assertThat(second.heartbeat(members.get(0), 2)).isEqualTo(GroupError.NONE);
        assertThat(now(second.sync(members.get(0), 2, Map.of())).error()).isEqualTo(GroupError.REBALANCE_IN_PROGRESS);
        assertThat(now(second.join(members.get(0))).error()).isEqualTo(GroupError.COORDINATOR_LOAD_IN_PROGRESS);
        assertThat(second.commit(members.get(0), 2, 1)).isEqualTo(GroupError.COORDINATOR_LOAD_IN_PROGRESS);
        assertThat(now(second.coordinator.describe(GROUP)).error()).isEqualTo(GroupError.COORDINATOR_LOAD_IN_PROGRESS);
        images.failWith(null);
        images.hold();
        CompletionStage<GroupError> one =
                second.coordinator.heartbeat(new HeartbeatRequest(GROUP, members.get(0), null, 2));
        CompletionStage<GroupError> two =
                second.coordinator.heartbeat(new HeartbeatRequest(GROUP, members.get(1), null, 2));
        assertThat(one.toCompletableFuture()).isNotDone();
        int claims = images.claims;
        images.release();

        assertThat(now(one)).isEqualTo(GroupError.NONE);
        assertThat(now(two)).isEqualTo(GroupError.NONE);
        assertThat(images.claims).as("read once for all that wait").isEqualTo(claims);
    }

    @Test
    void aGroupThatCanNeverBeReadBeginsAnew() {
        images.failWith(StoreException.Kind.REFUSED);

        assertThat(second.heartbeat("m", 2)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
        assertThat(now(second.join("")).generation()).isEqualTo(1);
        assertThat(events).containsOnly(ImageEvent.UNSAVED);
    }

    @Test
    void aGroupTooLargeIsKnownByItsGenerationAlone() {
        byte[] large = new byte[(int) StoredGroups.MAX_BYTES];
        CompletionStage<JoinResult> join = first.join(GROUP, "", "", large);
        first.timers.pass(0);
        String member = now(join).memberId();
        now(first.sync(member, 1, Map.of(member, bytes("all"))));

        assertThat(events).containsExactly(ImageEvent.OVERSIZED, ImageEvent.SAVED);
        assertThat(images.image(GROUP).members()).isEmpty();
        assertThat(second.heartbeat(member, 1)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
        assertThat(now(second.join("")).generation()).isEqualTo(2);
    }

    @Test
    void departuresAndReturnsOfStaticMembersAreStored() {
        CompletionStage<JoinResult> join = first.join(GROUP, "", "rack", new byte[] {1});
        first.timers.pass(0);
        String member = now(join).memberId();
        now(first.coordinator.sync(
                new SyncRequest(GROUP, member, "rack", 1, null, null, Map.of(member, bytes("all")))));
        images.hold();
        CompletionStage<JoinResult> back = first.join(GROUP, "", "rack", new byte[] {1});
        assertThat(back.toCompletableFuture())
                .as("the new id is not stored yet")
                .isNotDone();
        images.release();
        String newId = now(back).memberId();

        CompletionStage<GroupError> old = second.coordinator.heartbeat(new HeartbeatRequest(GROUP, member, "rack", 1));
        assertThat(now(old)).isEqualTo(GroupError.FENCED_INSTANCE_ID);
        assertThat(now(second.coordinator.heartbeat(new HeartbeatRequest(GROUP, newId, "rack", 1))))
                .isEqualTo(GroupError.NONE);
        JoinResult third = now(second.join(GROUP, "", "rack", new byte[] {1}));
        assertThat(third.generation()).as("no rebalance").isEqualTo(1);
        now(second.coordinator.leave(new LeaveRequest(GROUP, List.of(new Leaver("", "rack")))));
        assertThat(images.image(GROUP).state()).isEqualTo(State.EMPTY);
        assertThat(images.image(GROUP).generation()).isEqualTo(2);
        assertThat(first.state()).as("stale until it is asked for a member").isEqualTo(GroupState.STABLE);
    }

    @Test
    void deletedGroupsAndGroupsThatNobodyNeedsLeaveNothingBehind() {
        List<String> members = first.stablePair();
        first.commit(members.get(0), 2, 5);
        now(first.coordinator.leave(new LeaveRequest(
                GROUP, members.stream().map(member -> new Leaver(member, null)).toList())));
        assertThat(images.groups).containsOnlyKeys(GROUP);
        assertThat(now(second.coordinator.delete(GROUP))).isEqualTo(GroupError.NONE);
        assertThat(images.groups).isEmpty();
        assertThat(commits.groups).isEmpty();

        Broker third = new Broker();
        List<String> others = third.stablePair();
        third.timers.pass(SESSION);
        assertThat(third.heartbeat(others.get(0), 2)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
        assertThat(images.groups).containsOnlyKeys(GROUP);
        now(third.coordinator.expire());
        assertThat(images.groups).isEmpty();
        assertThat(now(third.coordinator.list())).isEmpty();
    }

    @Test
    void aStaleCoordinatorDeletesNothing() {
        List<String> members = first.stablePair();
        now(first.coordinator.leave(new LeaveRequest(
                GROUP, members.stream().map(member -> new Leaver(member, null)).toList())));
        String other = now(second.join("")).memberId();
        now(second.sync(other, 4, Map.of(other, bytes("all"))));

        assertThat(now(first.coordinator.delete(GROUP))).isEqualTo(GroupError.NOT_COORDINATOR);
        assertThat(images.image(GROUP).members()).hasSize(1);
        assertThat(now(first.coordinator.delete(GROUP))).isEqualTo(GroupError.NON_EMPTY_GROUP);
    }

    @Test
    void membersThatNobodyHearsOfAnyMoreExpireAlthoughTheGroupIsNotUsed() {
        first.stablePair();
        now(second.coordinator.expire());
        assertThat(second.state()).isEqualTo(GroupState.STABLE);

        second.timers.pass(SESSION);

        assertThat(second.state()).isEqualTo(GroupState.EMPTY);
        assertThat(images.image(GROUP).state()).isEqualTo(State.EMPTY);
    }

    @Test
    void aThousandGroupsAreReadWhenTheyAreUsed() {
        for (int i = 0; i < 1_000; i++) {
            String group = "group-" + i;
            CompletionStage<JoinResult> join = first.join(group, "", "", new byte[] {1});
            first.timers.pass(0);
            String member = now(join).memberId();
            now(first.coordinator.sync(
                    new SyncRequest(group, member, null, 1, null, null, Map.of(member, bytes("all")))));
        }
        second.foreign.add("group-999");
        images.claims = 0;

        String member = images.image("group-7").members().get(0).id();
        assertThat(now(second.coordinator.heartbeat(new HeartbeatRequest("group-7", member, null, 1))))
                .isEqualTo(GroupError.NONE);
        assertThat(images.claims).isEqualTo(1);
        assertThat(now(second.coordinator.list()))
                .hasSize(999)
                .contains(new GroupListing("group-8", "consumer", GroupState.STABLE));
        assertThat(images.claims).isEqualTo(999);
        now(second.coordinator.list());
        assertThat(images.claims).isEqualTo(999);
    }
}
