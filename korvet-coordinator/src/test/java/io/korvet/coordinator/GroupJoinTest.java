package io.korvet.coordinator;

import static io.korvet.coordinator.GroupScript.member;
import static io.korvet.coordinator.GroupScript.protocol;
import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.coordinator.JoinResult.JoinedMember;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

@SuppressWarnings("FutureReturnValueIgnored") // replies are looked at where they matter
class GroupJoinTest {

    private final GroupScript script = new GroupScript(GroupSettings.DEFAULTS);

    @Test
    void newDynamicMemberIsAskedToComeBackWithItsId() {
        JoinResult first = script.join(member().named("app").requiringId()).join();

        assertThat(first.error()).isEqualTo(GroupError.MEMBER_ID_REQUIRED);
        assertThat(first.memberId()).isEqualTo("app-1");
        CompletableFuture<JoinResult> second = script.join(member("app-1").requiringId());
        assertThat(second).isNotDone();
        script.pass(3_000);
        assertThat(second.join().error()).isEqualTo(GroupError.NONE);
        assertThat(second.join().memberId()).isEqualTo("app-1");
        assertThat(second.join().generation()).isEqualTo(1);
    }

    @Test
    void idThatIsNeverUsedIsForgottenAfterTheSessionTimeout() {
        script.join(member().requiringId()).join();
        assertThat(script.group.isKnown()).isTrue();

        script.pass(GroupScript.SESSION);

        assertThat(script.group.isKnown()).isFalse();
        assertThat(script.join(member("client-1")).join().error()).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
    }

    @Test
    void initialDelayGrowsWhileMembersArrive() {
        CompletableFuture<JoinResult> first = script.join(member());
        script.pass(2_999);
        CompletableFuture<JoinResult> second = script.join(member());
        script.pass(1);
        assertThat(first).isNotDone();

        script.pass(3_000);

        assertThat(first.join().generation()).isEqualTo(1);
        assertThat(second.join().generation()).isEqualTo(1);
        assertThat(first.join().leader()).isEqualTo(first.join().memberId());
        assertThat(first.join().members()).extracting(JoinedMember::memberId).containsExactly("client-1", "client-2");
        assertThat(second.join().members()).isEmpty();
    }

    @Test
    void initialDelayNeverPassesTheRebalanceTimeout() {
        CompletableFuture<JoinResult> first = script.join(member().timeouts(GroupScript.SESSION, 7_000));
        for (int i = 0; i < 6; i++) {
            script.pass(1_000);
            script.join(member().timeouts(GroupScript.SESSION, 7_000));
        }
        assertThat(first).isNotDone();

        script.pass(1_000);

        assertThat(first).isDone();
        assertThat(first.join().members()).hasSize(7);
    }

    @Test
    void protocolWithMostVotesAmongThoseAllSupportIsChosen() {
        Protocol range = protocol("range", "r");
        Protocol sticky = protocol("sticky", "s");
        Protocol own = protocol("own", "o");
        CompletableFuture<JoinResult> first = script.join(member().protocols(own, range, sticky));
        script.join(member().protocols(sticky, range));
        script.join(member().protocols(sticky, range));

        script.pass(10_000);

        assertThat(first.join().protocolName()).isEqualTo("sticky");
        assertThat(first.join().protocolType()).isEqualTo("consumer");
        assertThat(first.join().members().get(0).metadata()).isEqualTo(GroupScript.bytes("s"));
    }

    @Test
    void memberWithoutACommonProtocolOrOfAnotherKindIsRefused() {
        script.stable(1);

        assertThat(script.join(member().protocols(protocol("other", ""))).join().error())
                .isEqualTo(GroupError.INCONSISTENT_GROUP_PROTOCOL);
        assertThat(script.join(member().type("connect")).join().error())
                .isEqualTo(GroupError.INCONSISTENT_GROUP_PROTOCOL);
        assertThat(script.group.state()).isEqualTo(GroupState.STABLE);
    }

    @Test
    void emptyGroupRefusesAMemberWithoutProtocolsOrKind() {
        assertThat(script.join(member().protocols()).join().error()).isEqualTo(GroupError.INCONSISTENT_GROUP_PROTOCOL);
        assertThat(script.join(member().type("")).join().error()).isEqualTo(GroupError.INCONSISTENT_GROUP_PROTOCOL);
    }

    @Test
    void newMemberMakesTheOthersJoinAgain() {
        List<String> members = script.stable(2);

        CompletableFuture<JoinResult> third = script.join(member());

        assertThat(script.group.state()).isEqualTo(GroupState.PREPARING_REBALANCE);
        assertThat(script.heartbeat(members.get(0), 1)).isEqualTo(GroupError.REBALANCE_IN_PROGRESS);
        CompletableFuture<JoinResult> first = script.join(member(members.get(0)));
        assertThat(third).isNotDone();
        CompletableFuture<JoinResult> second = script.join(member(members.get(1)));
        assertThat(List.of(
                        first.join().generation(),
                        second.join().generation(),
                        third.join().generation()))
                .containsOnly(2);
        assertThat(first.join().members()).hasSize(3);
    }

    @Test
    void membersThatDoNotJoinWithinTheRebalanceTimeoutAreLeftOutAndAnotherLeads() {
        List<String> members = script.stable(2);
        CompletableFuture<JoinResult> second =
                script.join(member(members.get(1)).protocols(protocol("range", "v2")));
        for (int i = 0; i < GroupScript.REBALANCE / 5_000; i++) {
            assertThat(second).isNotDone();
            script.heartbeat(members.get(0), 1);
            script.pass(5_000);
        }

        assertThat(second.join().leader()).isEqualTo(members.get(1));
        assertThat(second.join().members()).hasSize(1);
        assertThat(script.heartbeat(members.get(0), 1)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
    }

    @Test
    void followerWithTheSameMetadataGetsThePresentGenerationAgain() {
        List<String> members = script.stable(2);

        JoinResult again = script.join(member(members.get(1))).join();

        assertThat(again.generation()).isEqualTo(1);
        assertThat(again.members()).isEmpty();
        assertThat(script.group.state()).isEqualTo(GroupState.STABLE);
    }

    @Test
    void leaderThatJoinsAgainStartsARebalance() {
        List<String> members = script.stable(2);

        script.join(member(members.get(0)));

        assertThat(script.group.state()).isEqualTo(GroupState.PREPARING_REBALANCE);
    }

    @Test
    void lostJoinAnswerIsGivenAgainWhileTheAssignmentIsAwaited() {
        CompletableFuture<JoinResult> first = script.join(member());
        script.pass(3_000);

        JoinResult again = script.join(member(first.join().memberId())).join();

        assertThat(again).isEqualTo(first.join());
    }

    @Test
    void secondJoinOfAMemberTakesThePlaceOfTheFirst() {
        List<String> members = script.stable(2);
        CompletableFuture<JoinResult> lost = script.join(member(members.get(0)));

        CompletableFuture<JoinResult> retry = script.join(member(members.get(0)));

        assertThat(lost.join().error()).isEqualTo(GroupError.REBALANCE_IN_PROGRESS);
        assertThat(retry).isNotDone();
    }

    @Test
    void fullGroupRefusesNewMembers() {
        GroupScript small = new GroupScript(GroupSettings.DEFAULTS.withMaxSize(2));
        List<String> members = small.stable(2);

        assertThat(small.join(member()).join().error()).isEqualTo(GroupError.GROUP_MAX_SIZE_REACHED);
        assertThat(small.join(member(members.get(1))).join().error()).isEqualTo(GroupError.NONE);
    }

    @Test
    void staleOrForeignMemberIdIsRefused() {
        script.stable(1);

        assertThat(script.join(member("nobody")).join().error()).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
    }

    @Test
    void newMemberThatNeverHearsBackIsDroppedInTheEnd() {
        List<String> members = script.stable(1);
        CompletableFuture<JoinResult> waiting = script.join(member().timeouts(GroupScript.SESSION, 1_000_000));
        for (int i = 0; i < 60; i++) {
            script.heartbeat(members.get(0), 1);
            script.pass(5_000);
        }

        assertThat(waiting.join().error()).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
        assertThat(script.group.members().size()).isEqualTo(1);
    }
}
