package io.korvet.server.handler;

import io.korvet.coordinator.GroupCoordinator;
import io.korvet.coordinator.HeartbeatRequest;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/** Heartbeat of a group's member. */
public final class HeartbeatHandler implements ApiHandler<HeartbeatRequestData, HeartbeatResponseData> {

    private final GroupCoordinator coordinator;

    /** Passes heartbeats to the coordinator. */
    public HeartbeatHandler(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.HEARTBEAT;
    }

    @Override
    public CompletionStage<HeartbeatResponseData> handle(RequestContext context, HeartbeatRequestData request) {
        HeartbeatRequest heartbeat = new HeartbeatRequest(
                request.groupId(), request.memberId(), request.groupInstanceId(), request.generationId());
        return coordinator
                .heartbeat(heartbeat)
                .thenApply(error -> new HeartbeatResponseData().setErrorCode(GroupErrors.code(error)));
    }
}
