package io.korvet.server.handler;

import io.korvet.coordinator.GroupCoordinator;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResult;
import org.apache.kafka.common.protocol.ApiKeys;

/** DeleteGroups: groups without members go, with their positions. A group named twice is answered once. */
public final class DeleteGroupsHandler implements ApiHandler<DeleteGroupsRequestData, DeleteGroupsResponseData> {

    private final GroupCoordinator coordinator;

    /** Deletes the coordinator's groups. */
    public DeleteGroupsHandler(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DELETE_GROUPS;
    }

    @Override
    public CompletionStage<DeleteGroupsResponseData> handle(RequestContext context, DeleteGroupsRequestData request) {
        List<CompletionStage<DeletableGroupResult>> results = request.groupsNames().stream()
                .distinct()
                .map(group -> coordinator
                        .delete(group)
                        .thenApply(error ->
                                new DeletableGroupResult().setGroupId(group).setErrorCode(GroupErrors.code(error))))
                .toList();
        return Stages.all(results).thenApply(deleted -> {
            DeleteGroupsResponseData response = new DeleteGroupsResponseData();
            deleted.forEach(response.results()::mustAdd);
            return response;
        });
    }
}
