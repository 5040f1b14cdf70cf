package io.korvet.coordinator;

import static io.korvet.coordinator.GroupScript.bytes;
import static io.korvet.coordinator.GroupScript.member;
import static io.korvet.coordinator.GroupScript.protocol;
import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.coordinator.LeaveRequest.Leaver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@SuppressWarnings("FutureReturnValueIgnored") // replies are looked at where they matter
class GroupStaticMemberTest {

    private final GroupScript script = new GroupScript(GroupSettings.DEFAULTS);
    private String leader = "";
    private String follower = "";

    @BeforeEach
    void stableGroupOfTwo() {
        CompletableFuture<JoinResult> first = script.join(member().instance("a"));
        CompletableFuture<JoinResult> second = script.join(member().instance("b"));
        script.pass(6_000);
        leader = first.join().memberId();
        follower = second.join().memberId();
        script.settle(List.of(leader, follower));
    }

    @Test
    void restartWithinTheSessionTimeoutCausesNoRebalance() {
        JoinResult back = script.join(member().instance("b")).join();

        assertThat(back.error()).isEqualTo(GroupError.NONE);
        assertThat(back.memberId()).isNotEqualTo(follower);
        assertThat(back.generation()).isEqualTo(1);
        assertThat(script.group.state()).isEqualTo(GroupState.STABLE);
        assertThat(script.sync(back.memberId(), "b", 1, null, null).join().assignment())
                .isEqualTo(bytes("part 1"));
    }

    @Test
    void leaderThatIsBackIsToldToSkipTheAssignment() {
        JoinResult back = script.join(member().instance("a")).join();

        assertThat(back.leader()).isEqualTo(back.memberId());
        assertThat(back.skipAssignment()).isTrue();
        assertThat(back.members()).hasSize(2);
        assertThat(script.sync(back.memberId(), "a", 1, null, null).join().assignment())
                .isEqualTo(bytes("part 0"));
    }

    @Test
    void oldClientThatIsBackDoesNotLearnThatItLeads() {
        JoinResult back = script.join(member().instance("a").oldClient()).join();

        assertThat(back.leader()).isEqualTo(leader);
        assertThat(back.skipAssignment()).isFalse();
        assertThat(back.members()).isEmpty();
    }

    @Test
    void formerSelfIsFenced() {
        script.join(member().instance("b"));

        assertThat(script.heartbeat(follower, "b", 1)).isEqualTo(GroupError.FENCED_INSTANCE_ID);
        assertThat(script.sync(follower, "b", 1, null, null).join().error()).isEqualTo(GroupError.FENCED_INSTANCE_ID);
        assertThat(script.join(member(follower).instance("b")).join().error()).isEqualTo(GroupError.FENCED_INSTANCE_ID);
        assertThat(script.leave(new Leaver(follower, "b")).members()).containsExactly(GroupError.FENCED_INSTANCE_ID);
        assertThat(script.heartbeat(follower, null, 1)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
    }

    @Test
    void requestOfTheFormerSelfThatWaitsIsFenced() {
        CompletableFuture<JoinResult> waiting = script.join(member(leader).instance("a"));
        assertThat(waiting).isNotDone();

        CompletableFuture<JoinResult> back = script.join(member().instance("a"));

        assertThat(waiting.join().error()).isEqualTo(GroupError.FENCED_INSTANCE_ID);
        assertThat(back).isNotDone();
    }

    @Test
    void changeOfTheChosenProtocolCausesARebalance() {
        CompletableFuture<JoinResult> other =
                script.join(member(follower).instance("b").protocols(protocol("sticky", "s"), protocol("range", "r")));
        script.join(member(leader).instance("a").protocols(protocol("range", "r"), protocol("sticky", "s")));
        script.settle(List.of(leader, follower));
        assertThat(other.join().protocolName()).isEqualTo("range");

        CompletableFuture<JoinResult> back = script.join(member().instance("a").protocols(protocol("sticky", "s")));

        assertThat(back).isNotDone();
        assertThat(script.group.state()).isEqualTo(GroupState.PREPARING_REBALANCE);
    }

    @Test
    void returnWhileTheAssignmentIsAwaitedCausesARebalance() {
        CompletableFuture<JoinResult> first = script.join(member(leader).instance("a"));
        script.join(member(follower).instance("b"));
        assertThat(first.join().generation()).isEqualTo(2);

        script.join(member().instance("b"));

        assertThat(script.group.state()).isEqualTo(GroupState.PREPARING_REBALANCE);
    }

    @Test
    void silentStaticMemberStaysThroughARebalanceUntilItsSessionEnds() {
        CompletableFuture<JoinResult> newcomer = script.join(member().timeouts(GroupScript.SESSION, 5_000));
        script.join(member(leader).instance("a").timeouts(GroupScript.SESSION, 5_000));
        script.pass(GroupScript.SESSION - 1);
        assertThat(newcomer).isNotDone();

        script.pass(1);

        assertThat(newcomer.join().members()).isEmpty();
        assertThat(script.group.members().byInstance("b")).isNull();
    }

    @Test
    void operatorRemovesAStaticMemberByInstanceId() {
        assertThat(script.leave(new Leaver("", "b"), new Leaver("", "c")).members())
                .containsExactly(GroupError.NONE, GroupError.UNKNOWN_MEMBER_ID);

        assertThat(script.group.state()).isEqualTo(GroupState.PREPARING_REBALANCE);
        assertThat(script.group.members().size()).isEqualTo(1);
    }

    @Test
    void instanceIdNobodyHasIsUnknown() {
        assertThat(script.heartbeat(follower, "c", 1)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
    }
}
