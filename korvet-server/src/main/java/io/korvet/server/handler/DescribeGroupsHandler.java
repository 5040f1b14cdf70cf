package io.korvet.server.handler;

import io.korvet.coordinator.GroupCoordinator;
import io.korvet.coordinator.GroupDescription;
import io.korvet.coordinator.GroupError;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroupMember;
import org.apache.kafka.common.protocol.ApiKeys;

/** DescribeGroups: an unknown group is {@code Dead}; from version 6 on it is also an error. */
public final class DescribeGroupsHandler implements ApiHandler<DescribeGroupsRequestData, DescribeGroupsResponseData> {

    private static final int FIRST_WITH_NOT_FOUND = 6;

    private final GroupCoordinator coordinator;

    /** Describes the coordinator's groups. */
    public DescribeGroupsHandler(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_GROUPS;
    }

    @Override
    public CompletionStage<DescribeGroupsResponseData> handle(
            RequestContext context, DescribeGroupsRequestData request) {
        List<CompletionStage<DescribedGroup>> groups = request.groups().stream()
                .map(group -> coordinator
                        .describe(group)
                        .thenApply(description -> described(context.version(), request, description)))
                .toList();
        return Stages.all(groups).thenApply(described -> new DescribeGroupsResponseData().setGroups(described));
    }

    private static DescribedGroup described(
            short version, DescribeGroupsRequestData request, GroupDescription description) {
        boolean unknown = description.error() == GroupError.GROUP_ID_NOT_FOUND;
        boolean failed = description.error() != GroupError.NONE && (!unknown || version >= FIRST_WITH_NOT_FOUND);
        DescribedGroup described = new DescribedGroup()
                .setErrorCode(failed ? GroupErrors.code(description.error()) : 0)
                .setGroupId(description.group())
                .setGroupState(failed && !unknown ? "" : description.state().label())
                .setProtocolType(description.protocolType())
                .setProtocolData(description.protocolName())
                .setMembers(description.members().stream()
                        .map(DescribeGroupsHandler::described)
                        .toList());
        if (failed && unknown) {
            described.setErrorMessage("Group " + description.group() + " not found.");
        }
        if (!failed && request.includeAuthorizedOperations()) {
            described.setAuthorizedOperations(AuthorizedOperations.GROUP);
        }
        return described;
    }

    private static DescribedGroupMember described(GroupDescription.DescribedMember member) {
        return new DescribedGroupMember()
                .setMemberId(member.memberId())
                .setGroupInstanceId(member.instanceId())
                .setClientId(member.clientId())
                .setClientHost(member.clientHost())
                .setMemberMetadata(member.metadata())
                .setMemberAssignment(member.assignment());
    }
}
