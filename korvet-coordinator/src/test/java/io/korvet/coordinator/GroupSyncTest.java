package io.korvet.coordinator;

import static io.korvet.coordinator.GroupScript.bytes;
import static io.korvet.coordinator.GroupScript.member;
import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.coordinator.LeaveRequest.Leaver;
import io.korvet.store.CommittedOffsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@SuppressWarnings("FutureReturnValueIgnored") // replies are looked at where they matter
class GroupSyncTest {

    private final GroupScript script = new GroupScript(GroupSettings.DEFAULTS);

    private List<String> joined(int count) {
        List<CompletableFuture<JoinResult>> joins = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            joins.add(script.join(member()));
        }
        script.pass(3_000);
        script.pass(3_000);
        return joins.stream().map(join -> join.join().memberId()).toList();
    }

    @Test
    void followersWaitForTheLeadersAssignment() {
        List<String> members = joined(2);
        CompletableFuture<SyncResult> follower = script.sync(members.get(1), 1);
        assertThat(follower).isNotDone();

        SyncResult leader = script.sync(members.get(0), 1, members.get(0), "a", members.get(1), "b")
                .join();

        assertThat(leader.assignment()).isEqualTo(bytes("a"));
        assertThat(follower.join().assignment()).isEqualTo(bytes("b"));
        assertThat(follower.join().protocolName()).isEqualTo("range");
        assertThat(script.group.state()).isEqualTo(GroupState.STABLE);
    }

    @Test
    void memberTheLeaderLeftOutGetsNothing() {
        List<String> members = joined(2);
        script.sync(members.get(0), 1, members.get(0), "a");

        SyncResult follower = script.sync(members.get(1), 1).join();

        assertThat(follower.error()).isEqualTo(GroupError.NONE);
        assertThat(follower.assignment()).isEmpty();
    }

    @Test
    void syncOfAWrongMemberGenerationOrProtocolIsRefused() {
        List<String> members = joined(1);
        String leader = members.get(0);

        assertThat(script.sync("nobody", 1).join().error()).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
        assertThat(script.sync(leader, 0).join().error()).isEqualTo(GroupError.ILLEGAL_GENERATION);
        assertThat(script.sync(leader, null, 1, "connect", "range").join().error())
                .isEqualTo(GroupError.INCONSISTENT_GROUP_PROTOCOL);
        assertThat(script.sync(leader, null, 1, "consumer", "sticky").join().error())
                .isEqualTo(GroupError.INCONSISTENT_GROUP_PROTOCOL);
        assertThat(script.sync(leader, null, 1, null, null).join().error()).isEqualTo(GroupError.NONE);
    }

    @Test
    void waitingSyncsAreToldOfANewRebalance() {
        List<String> members = joined(2);
        CompletableFuture<SyncResult> follower = script.sync(members.get(1), 1);

        script.join(member());

        assertThat(follower.join().error()).isEqualTo(GroupError.REBALANCE_IN_PROGRESS);
        assertThat(script.sync(members.get(0), 1).join().error()).isEqualTo(GroupError.REBALANCE_IN_PROGRESS);
    }

    @Test
    void memberThatNeverSyncsIsDroppedAfterTheRebalanceTimeout() {
        List<String> members = joined(2);
        CompletableFuture<SyncResult> follower = script.sync(members.get(1), 1);
        for (int i = 0; i < GroupScript.REBALANCE / 5_000; i++) {
            script.heartbeat(members.get(0), 1);
            script.pass(5_000);
        }

        assertThat(follower.join().error()).isEqualTo(GroupError.REBALANCE_IN_PROGRESS);
        assertThat(script.heartbeat(members.get(0), 1)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
    }

    @Test
    void silentMemberIsDroppedAfterItsSessionTimeout() {
        List<String> members = script.stable(2);
        script.pass(GroupScript.SESSION - 1);
        script.heartbeat(members.get(0), 1);
        assertThat(script.group.members().size()).isEqualTo(2);

        script.pass(1);

        assertThat(script.group.members().size()).isEqualTo(1);
        assertThat(script.heartbeat(members.get(0), 1)).isEqualTo(GroupError.REBALANCE_IN_PROGRESS);
        assertThat(script.heartbeat(members.get(1), 1)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
    }

    @Test
    void heartbeatWithAnotherGenerationIsRefused() {
        List<String> members = script.stable(1);

        assertThat(script.heartbeat(members.get(0), 7)).isEqualTo(GroupError.ILLEGAL_GENERATION);
    }

    @Test
    void lastMemberThatLeavesEmptiesTheGroup() {
        List<String> members = script.stable(1);

        assertThat(script.leave(members.get(0)).members()).containsExactly(GroupError.NONE);

        assertThat(script.group.state()).isEqualTo(GroupState.EMPTY);
        assertThat(script.group.generation()).isEqualTo(2);
        assertThat(script.leave(members.get(0)).members()).containsExactly(GroupError.UNKNOWN_MEMBER_ID);
    }

    @Test
    void leavesOfABatchAreAnsweredOneByOne() {
        List<String> members = script.stable(2);
        String pending = script.join(member().requiringId()).join().memberId();

        LeaveResult result =
                script.leave(new Leaver("nobody", null), new Leaver(members.get(1), null), new Leaver(pending, null));

        assertThat(result.members()).containsExactly(GroupError.UNKNOWN_MEMBER_ID, GroupError.NONE, GroupError.NONE);
        assertThat(script.group.members().hasPending()).isFalse();
    }

    @Test
    void leavingMembersWaitingSyncIsAnswered() {
        List<String> members = joined(2);
        CompletableFuture<SyncResult> waiting = script.sync(members.get(1), 1);

        script.leave(members.get(1));

        assertThat(waiting.join().error()).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
    }

    @Test
    void commitsAreFencedAsKafkaDoes() {
        assertThat(error("", null, -1)).isEqualTo(GroupError.NONE);
        assertThat(error("nobody", null, 1)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
        List<String> members = joined(1);
        assertThat(error(members.get(0), null, 1)).isEqualTo(GroupError.REBALANCE_IN_PROGRESS);
        script.settle(members);

        assertThat(error(members.get(0), null, 1)).isEqualTo(GroupError.NONE);
        assertThat(error(members.get(0), null, 2)).isEqualTo(GroupError.ILLEGAL_GENERATION);
        assertThat(error("nobody", null, 1)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
        assertThat(error("", null, -1)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
        assertThat(error(members.get(0), "no-instance", 1)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
        script.join(member());
        assertThat(script.group.state()).isEqualTo(GroupState.PREPARING_REBALANCE);
        assertThat(error(members.get(0), null, 1)).isEqualTo(GroupError.NONE);
    }

    @Test
    void commitKeepsASessionAlive() {
        List<String> members = script.stable(1);
        for (int i = 0; i < 5; i++) {
            script.pass(GroupScript.SESSION - 1);
            assertThat(error(members.get(0), null, 1)).isEqualTo(GroupError.NONE);
        }

        assertThat(script.group.state()).isEqualTo(GroupState.STABLE);
    }

    @Test
    void tooLongMetadataIsLeftOutAndTheRestWritten() {
        CommittedOffsets.Key good = new CommittedOffsets.Key("t", 0);
        CommittedOffsets.Key bad = new CommittedOffsets.Key("t", 1);

        script.commit(new CommitRequest(
                GroupScript.GROUP,
                "",
                null,
                -1,
                List.of(
                        new CommitRequest.Commit(good, 1, -1, "x".repeat(4096), ""),
                        new CommitRequest.Commit(bad, 1, -1, "x".repeat(4097), ""))));

        assertThat(script.writes.get(0).positions()).containsOnlyKeys(good);
        assertThat(script.writes.get(0).oversized()).containsExactly(bad);
    }

    /** The error a commit ends with; {@link GroupError#NONE} when it would be written. */
    private GroupError error(String member, @Nullable String instance, int generation) {
        CommitRequest.Commit commit = new CommitRequest.Commit(new CommittedOffsets.Key("t", 0), 1, -1, "", "");
        CompletableFuture<CommitResult> reply =
                script.commit(new CommitRequest(GroupScript.GROUP, member, instance, generation, List.of(commit)));
        return reply.isDone() ? reply.join().error() : GroupError.NONE;
    }
}
