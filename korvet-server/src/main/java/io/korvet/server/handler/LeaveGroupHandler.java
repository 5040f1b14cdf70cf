package io.korvet.server.handler;

import io.korvet.coordinator.GroupCoordinator;
import io.korvet.coordinator.GroupError;
import io.korvet.coordinator.LeaveRequest;
import io.korvet.coordinator.LeaveRequest.Leaver;
import io.korvet.coordinator.LeaveResult;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData.MemberResponse;
import org.apache.kafka.common.protocol.ApiKeys;

/** LeaveGroup: one member up to version 2, many from 3 on. */
public final class LeaveGroupHandler implements ApiHandler<LeaveGroupRequestData, LeaveGroupResponseData> {

    private static final int FIRST_BATCHED = 3;

    private final GroupCoordinator coordinator;

    /** Passes departures to the coordinator. */
    public LeaveGroupHandler(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.LEAVE_GROUP;
    }

    @Override
    public CompletionStage<LeaveGroupResponseData> handle(RequestContext context, LeaveGroupRequestData request) {
        if (context.version() < FIRST_BATCHED) {
            LeaveRequest leave = new LeaveRequest(request.groupId(), List.of(new Leaver(request.memberId(), null)));
            return coordinator
                    .leave(leave)
                    .thenApply(result -> new LeaveGroupResponseData().setErrorCode(GroupErrors.code(single(result))));
        }
        List<Leaver> leavers = request.members().stream()
                .map(member -> new Leaver(member.memberId(), member.groupInstanceId()))
                .toList();
        return coordinator
                .leave(new LeaveRequest(request.groupId(), leavers))
                .thenApply(result -> response(leavers, result));
    }

    private static GroupError single(LeaveResult result) {
        return result.error() == GroupError.NONE ? result.members().get(0) : result.error();
    }

    private static LeaveGroupResponseData response(List<Leaver> leavers, LeaveResult result) {
        LeaveGroupResponseData response = new LeaveGroupResponseData().setErrorCode(GroupErrors.code(result.error()));
        for (int i = 0; i < result.members().size(); i++) {
            response.members()
                    .add(new MemberResponse()
                            .setMemberId(leavers.get(i).memberId())
                            .setGroupInstanceId(leavers.get(i).instanceId())
                            .setErrorCode(GroupErrors.code(result.members().get(i))));
        }
        return response;
    }
}
