package io.korvet.server.handler;

import io.korvet.coordinator.GroupCoordinator;
import io.korvet.coordinator.GroupListing;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;
import org.apache.kafka.common.protocol.ApiKeys;

/** ListGroups: the groups coordinated by this broker, all of the classic type, filtered by state and type. */
public final class ListGroupsHandler implements ApiHandler<ListGroupsRequestData, ListGroupsResponseData> {

    private static final String TYPE = "classic";

    private final GroupCoordinator coordinator;

    /** Lists the coordinator's groups. */
    public ListGroupsHandler(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.LIST_GROUPS;
    }

    @Override
    public CompletionStage<ListGroupsResponseData> handle(RequestContext context, ListGroupsRequestData request) {
        return coordinator.list().thenApply(groups -> {
            ListGroupsResponseData response = new ListGroupsResponseData();
            if (passes(request.typesFilter(), TYPE)) {
                for (GroupListing group : groups) {
                    if (passes(request.statesFilter(), group.state().label())) {
                        response.groups().add(listed(group));
                    }
                }
            }
            return response;
        });
    }

    private static ListedGroup listed(GroupListing group) {
        return new ListedGroup()
                .setGroupId(group.group())
                .setProtocolType(group.protocolType())
                .setGroupState(group.state().label())
                .setGroupType(TYPE);
    }

    /** No filter lets everything pass; case doesn't count. */
    private static boolean passes(List<String> filter, String value) {
        return filter.isEmpty() || filter.stream().anyMatch(value::equalsIgnoreCase);
    }
}
