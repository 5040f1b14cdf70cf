package io.korvet.server.handler;

import io.korvet.cluster.BrokerNode;
import io.korvet.cluster.ClusterView;
import io.korvet.cluster.Endpoint;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;

/**
 * FindCoordinator: the broker for a group or a transactional id, at the endpoint of the listener the client came through;
 * one key up to version 3, many from 4 on. Share groups have no coordinator here.
 */
public final class FindCoordinatorHandler
        implements ApiHandler<FindCoordinatorRequestData, FindCoordinatorResponseData> {

    private static final int FIRST_BATCHED = 4;
    private static final String NO_HOST = "";

    private final Supplier<ClusterView> cluster;

    /** Answers from the view of the cluster. */
    public FindCoordinatorHandler(Supplier<ClusterView> cluster) {
        this.cluster = cluster;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.FIND_COORDINATOR;
    }

    @Override
    public CompletionStage<FindCoordinatorResponseData> handle(
            RequestContext context, FindCoordinatorRequestData request) {
        ClusterView view = cluster.get();
        FindCoordinatorResponseData response = new FindCoordinatorResponseData();
        if (context.version() >= FIRST_BATCHED) {
            for (String key : request.coordinatorKeys()) {
                response.coordinators().add(coordinator(view, context, request.keyType(), key));
            }
        } else {
            Coordinator found = coordinator(view, context, request.keyType(), request.key());
            response.setErrorCode(found.errorCode())
                    .setErrorMessage(found.errorMessage())
                    .setNodeId(found.nodeId())
                    .setHost(found.host())
                    .setPort(found.port());
        }
        return CompletableFuture.completedFuture(response);
    }

    private static Coordinator coordinator(ClusterView view, RequestContext context, byte keyType, String key) {
        if (keyType != CoordinatorType.GROUP.id() && keyType != CoordinatorType.TRANSACTION.id()) {
            return new Coordinator()
                    .setKey(key)
                    .setErrorCode(Errors.INVALID_REQUEST.code())
                    .setErrorMessage("There is no coordinator for keys of type " + keyType + ".")
                    .setNodeId(-1)
                    .setHost(NO_HOST)
                    .setPort(-1);
        }
        BrokerNode node = view.coordinatorOf(key);
        Endpoint endpoint = node.endpoint(context.listener());
        return new Coordinator()
                .setKey(key)
                .setNodeId(node.id())
                .setHost(endpoint.host())
                .setPort(endpoint.port());
    }
}
