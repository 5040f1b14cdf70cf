package io.korvet.server.handler;

import io.korvet.coordinator.GroupCoordinator;
import io.korvet.coordinator.GroupError;
import io.korvet.coordinator.SyncRequest;
import io.korvet.coordinator.SyncResult;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Utils;

/**
 * SyncGroup: answered when the leader has brought the assignment. A consumer whom the leader left out gets an assignment
 * without partitions, since clients can't read one of no bytes.
 */
public final class SyncGroupHandler implements ApiHandler<SyncGroupRequestData, SyncGroupResponseData> {

    private static final int FIRST_WITH_PROTOCOL = 5;

    private final GroupCoordinator coordinator;

    /** Passes syncs to the coordinator. */
    public SyncGroupHandler(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.SYNC_GROUP;
    }

    @Override
    public CompletionStage<SyncGroupResponseData> handle(RequestContext context, SyncGroupRequestData request) {
        boolean incomplete = request.protocolType() == null || request.protocolName() == null;
        if (context.version() >= FIRST_WITH_PROTOCOL && incomplete) {
            return CompletableFuture.completedFuture(
                    new SyncGroupResponseData().setErrorCode(Errors.INCONSISTENT_GROUP_PROTOCOL.code()));
        }
        Map<String, byte[]> assignments = new HashMap<>();
        request.assignments().forEach(each -> assignments.put(each.memberId(), each.assignment()));
        SyncRequest sync = new SyncRequest(
                request.groupId(),
                request.memberId(),
                request.groupInstanceId(),
                request.generationId(),
                request.protocolType(),
                request.protocolName(),
                assignments);
        return coordinator
                .sync(sync)
                .thenApply(result -> new SyncGroupResponseData()
                        .setErrorCode(GroupErrors.code(result.error()))
                        .setProtocolType(result.protocolType())
                        .setProtocolName(result.protocolName())
                        .setAssignment(assignment(result)));
    }

    private static byte[] assignment(SyncResult result) {
        boolean leftOut = result.error() == GroupError.NONE && result.assignment().length == 0;
        return leftOut && ConsumerProtocol.PROTOCOL_TYPE.equals(result.protocolType())
                ? Utils.toArray(ConsumerProtocol.serializeAssignment(new Assignment(List.of()), (short) 0))
                : result.assignment();
    }
}
