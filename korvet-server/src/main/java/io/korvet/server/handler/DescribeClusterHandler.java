package io.korvet.server.handler;

import io.korvet.cluster.BrokerNode;
import io.korvet.cluster.ClusterView;
import io.korvet.cluster.Endpoint;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.EndpointType;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData.DescribeClusterBroker;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** DescribeCluster: the live brokers; there are no controllers to be described. */
public final class DescribeClusterHandler
        implements ApiHandler<DescribeClusterRequestData, DescribeClusterResponseData> {

    private final Supplier<ClusterView> cluster;
    private final String clusterId;

    /** Describes the cluster. */
    public DescribeClusterHandler(Supplier<ClusterView> cluster, String clusterId) {
        this.cluster = cluster;
        this.clusterId = clusterId;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_CLUSTER;
    }

    @Override
    public CompletionStage<DescribeClusterResponseData> handle(
            RequestContext context, DescribeClusterRequestData request) {
        DescribeClusterResponseData response =
                new DescribeClusterResponseData().setClusterId(clusterId).setEndpointType(request.endpointType());
        if (request.endpointType() != EndpointType.BROKER.id()) {
            boolean controllers = request.endpointType() == EndpointType.CONTROLLER.id();
            Errors error = controllers ? Errors.MISMATCHED_ENDPOINT_TYPE : Errors.UNSUPPORTED_ENDPOINT_TYPE;
            return CompletableFuture.completedFuture(response.setErrorCode(error.code())
                    .setErrorMessage("Endpoints of type " + request.endpointType()
                            + " can't be described: this is a broker (type " + EndpointType.BROKER.id() + ")."));
        }
        BrokerList brokers = new BrokerList(cluster.get());
        response.setControllerId(brokers.controllerId());
        if (request.includeClusterAuthorizedOperations()) {
            response.setClusterAuthorizedOperations(AuthorizedOperations.CLUSTER);
        }
        for (BrokerNode node : brokers.nodes()) {
            Endpoint endpoint = node.endpoint(context.listener());
            response.brokers()
                    .add(new DescribeClusterBroker()
                            .setBrokerId(node.id())
                            .setHost(endpoint.host())
                            .setPort(endpoint.port())
                            .setRack(node.rack()));
        }
        return CompletableFuture.completedFuture(response);
    }
}
