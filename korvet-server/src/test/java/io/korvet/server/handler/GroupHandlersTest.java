package io.korvet.server.handler;

import static io.korvet.server.handler.GroupFixture.GROUP;
import static io.korvet.server.handler.GroupFixture.ask;
import static io.korvet.server.topics.TopicFixture.done;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResult;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

class GroupHandlersTest {

    private final GroupFixture fixture = new GroupFixture();

    private static byte[] subscription(String topic) {
        return Utils.toArray(ConsumerProtocol.serializeSubscription(new Subscription(List.of(topic))));
    }

    @Test
    void everyVersionOfJoinIsAnsweredAsItsClientsExpect() {
        JoinGroupHandler handler = new JoinGroupHandler(fixture.coordinator);
        for (int version = ApiKeys.JOIN_GROUP.oldestVersion();
                version <= ApiKeys.JOIN_GROUP.latestVersion();
                version++) {
            JoinGroupRequestData request = GroupFixture.join("v" + version, new byte[0]);
            JoinGroupResponseData response = ask(handler, version, request);
            if (version >= 4) {
                assertThat(response.errorCode()).isEqualTo(Errors.MEMBER_ID_REQUIRED.code());
                assertThat(response.memberId()).startsWith("test-");
                response = ask(handler, version, request.setMemberId(response.memberId()));
            }
            assertThat(response.errorCode()).isEqualTo(Errors.NONE.code());
            assertThat(response.generationId()).isEqualTo(1);
            assertThat(response.protocolName()).isEqualTo("range");
            assertThat(response.members()).hasSize(1);
            JoinGroupResponseData refused = ask(handler, version, GroupFixture.join("foreign", new byte[0]));
            assertThat(refused.errorCode()).isEqualTo(Errors.NOT_COORDINATOR.code());
        }
    }

    @Test
    void joinWithoutARebalanceTimeoutTakesTheSessionTimeout() {
        JoinGroupRequestData request = GroupFixture.join(GROUP, new byte[0]).setRebalanceTimeoutMs(-1);

        assertThat(ask(new JoinGroupHandler(fixture.coordinator), 0, request).errorCode())
                .isEqualTo(Errors.NONE.code());
    }

    @Test
    void memberLeftOutByTheLeaderGetsAReadableAssignmentOfNothing() {
        JoinGroupResponseData joined =
                ask(new JoinGroupHandler(fixture.coordinator), 3, GroupFixture.join(GROUP, new byte[0]));

        SyncGroupResponseData response = fixture.sync(joined.memberId(), List.of());

        assertThat(ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(response.assignment()))
                        .partitions())
                .isEmpty();
    }

    @Test
    void syncFromVersionFiveOnMustNameTheProtocol() {
        SyncGroupHandler handler = new SyncGroupHandler(fixture.coordinator);
        String member = fixture.stableMember(new byte[0]);
        SyncGroupRequestData request =
                new SyncGroupRequestData().setGroupId(GROUP).setMemberId(member).setGenerationId(1);

        assertThat(ask(handler, 5, request).errorCode()).isEqualTo(Errors.INCONSISTENT_GROUP_PROTOCOL.code());
        for (int version = 0; version < 5; version++) {
            SyncGroupResponseData response = ask(handler, version, request);
            assertThat(response.errorCode()).isEqualTo(Errors.NONE.code());
            assertThat(response.assignment()).containsExactly(1);
        }
    }

    @Test
    void heartbeatsAreAnsweredInEveryVersion() {
        String member = fixture.stableMember(new byte[0]);
        HeartbeatHandler handler = new HeartbeatHandler(fixture.coordinator);
        for (int version = 0; version <= ApiKeys.HEARTBEAT.latestVersion(); version++) {
            HeartbeatRequestData request = new HeartbeatRequestData()
                    .setGroupId(GROUP)
                    .setMemberId(member)
                    .setGenerationId(1);
            assertThat(ask(handler, version, request).errorCode()).isEqualTo(Errors.NONE.code());
            assertThat(ask(handler, version, request.setGenerationId(2)).errorCode())
                    .isEqualTo(Errors.ILLEGAL_GENERATION.code());
        }
    }

    @Test
    void leaveIsForOneMemberFirstAndForManyLater() {
        String member = fixture.stableMember(new byte[0]);
        LeaveGroupHandler handler = new LeaveGroupHandler(fixture.coordinator);

        LeaveGroupResponseData many = ask(
                handler,
                5,
                new LeaveGroupRequestData()
                        .setGroupId(GROUP)
                        .setMembers(List.of(
                                new MemberIdentity().setMemberId("nobody"),
                                new MemberIdentity().setMemberId("").setGroupInstanceId("i"))));
        assertThat(many.errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(many.members())
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.errorCode()).isEqualTo(Errors.UNKNOWN_MEMBER_ID.code()));
        LeaveGroupRequestData single =
                new LeaveGroupRequestData().setGroupId(GROUP).setMemberId(member);
        assertThat(ask(handler, 0, single).errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(ask(handler, 2, single).errorCode()).isEqualTo(Errors.UNKNOWN_MEMBER_ID.code());
    }

    @Test
    void coordinatorsAreFoundForGroupsAndTransactionsAtTheListenersEndpoint() {
        FindCoordinatorHandler handler = new FindCoordinatorHandler(() -> Requests.CLUSTER);
        FindCoordinatorRequestData batch =
                new FindCoordinatorRequestData().setKeyType((byte) 1).setCoordinatorKeys(List.of("a", "b", "c", "d"));

        for (Coordinator found : ask(handler, 6, batch).coordinators()) {
            assertThat(found.errorCode()).isEqualTo(Errors.NONE.code());
            assertThat(found.nodeId())
                    .isEqualTo(Requests.CLUSTER.coordinatorOf(found.key()).id());
            assertThat(found.host()).isEqualTo(found.nodeId() == 4 ? "four" : "one");
        }
        FindCoordinatorResponseData outside =
                done(handler.handle(Requests.of(ApiKeys.FIND_COORDINATOR, 4, "outside"), batch));
        assertThat(outside.coordinators()).extracting(Coordinator::host).isSubsetOf("out", "one");
        for (int version = 0; version < 4; version++) {
            FindCoordinatorResponseData single = ask(handler, version, new FindCoordinatorRequestData().setKey(GROUP));
            assertThat(single.nodeId())
                    .isEqualTo(Requests.CLUSTER.coordinatorOf(GROUP).id());
        }
    }

    @Test
    void shareGroupsHaveNoCoordinator() {
        FindCoordinatorRequestData share =
                new FindCoordinatorRequestData().setKeyType((byte) 2).setCoordinatorKeys(List.of("g:t:0"));

        Coordinator refused = ask(new FindCoordinatorHandler(() -> Requests.CLUSTER), 6, share)
                .coordinators()
                .get(0);

        assertThat(refused.errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
        assertThat(refused.nodeId()).isEqualTo(-1);
    }

    @Test
    void listIsFilteredByStateAndTypeWhateverTheCase() {
        fixture.stableMember(new byte[0]);
        ListGroupsHandler handler = new ListGroupsHandler(fixture.coordinator);

        ListedGroup all = ask(handler, 5, new ListGroupsRequestData()).groups().get(0);
        assertThat(all.protocolType()).isEqualTo("consumer");
        assertThat(all.groupState()).isEqualTo("Stable");
        assertThat(all.groupType()).isEqualTo("classic");
        assertThat(ask(handler, 5, new ListGroupsRequestData().setTypesFilter(List.of("consumer")))
                        .groups())
                .isEmpty();
        assertThat(ask(handler, 5, new ListGroupsRequestData().setTypesFilter(List.of("Classic")))
                        .groups())
                .hasSize(1);
        assertThat(ask(handler, 4, new ListGroupsRequestData().setStatesFilter(List.of("stable")))
                        .groups())
                .hasSize(1);
        assertThat(ask(handler, 4, new ListGroupsRequestData().setStatesFilter(List.of("Empty")))
                        .groups())
                .isEmpty();
        assertThat(ask(handler, 0, new ListGroupsRequestData()).groups()).hasSize(1);
    }

    @Test
    void descriptionShowsMembersAndUnknownGroupsAreDead() {
        byte[] subscription = subscription("orders");
        String member = fixture.stableMember(subscription);
        DescribeGroupsHandler handler = new DescribeGroupsHandler(fixture.coordinator);
        for (int version = 0; version <= ApiKeys.DESCRIBE_GROUPS.latestVersion(); version++) {
            List<DescribedGroup> groups = ask(
                            handler, version, new DescribeGroupsRequestData().setGroups(List.of(GROUP, "unknown")))
                    .groups();
            assertThat(groups.get(0).groupState()).isEqualTo("Stable");
            assertThat(groups.get(0).protocolData()).isEqualTo("range");
            assertThat(groups.get(0).members()).singleElement().satisfies(each -> {
                assertThat(each.memberId()).isEqualTo(member);
                assertThat(each.clientId()).isEqualTo("test");
                assertThat(each.clientHost()).isEqualTo("/client");
                assertThat(each.memberMetadata()).isEqualTo(subscription);
                assertThat(each.memberAssignment()).containsExactly(1);
            });
            assertThat(groups.get(1).groupState()).isEqualTo("Dead");
            assertThat(groups.get(1).errorCode())
                    .isEqualTo(version < 6 ? Errors.NONE.code() : Errors.GROUP_ID_NOT_FOUND.code());
        }
        DescribedGroup asked = ask(
                        handler,
                        3,
                        new DescribeGroupsRequestData()
                                .setGroups(List.of(GROUP))
                                .setIncludeAuthorizedOperations(true))
                .groups()
                .get(0);
        assertThat(asked.authorizedOperations()).isEqualTo(AuthorizedOperations.GROUP);
    }

    @Test
    void groupsWithMembersAndUnknownGroupsAreNotDeleted() {
        fixture.stableMember(new byte[0]);

        List<DeletableGroupResult> results = List.copyOf(ask(
                        new DeleteGroupsHandler(fixture.coordinator),
                        2,
                        new DeleteGroupsRequestData().setGroupsNames(List.of(GROUP, "unknown", "foreign", GROUP)))
                .results());

        assertThat(results)
                .extracting(result -> Errors.forCode(result.errorCode()))
                .containsExactly(Errors.NON_EMPTY_GROUP, Errors.GROUP_ID_NOT_FOUND, Errors.NOT_COORDINATOR);
    }
}
