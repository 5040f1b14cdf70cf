package io.korvet.server.handler;

import io.korvet.cluster.BrokerNode;
import io.korvet.cluster.ClusterView;
import io.korvet.cluster.Endpoint;
import io.korvet.server.dispatch.RequestContext;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.ApiKeys;

/** Requests as handlers see them, in a cluster of two brokers. */
final class Requests {

    static final int EPOCH = 7;

    /** Brokers 1 and 4; only broker 4 has the listener {@code outside}. The view is broker 4's. */
    static final ClusterView CLUSTER = new ClusterView(
            4,
            List.of(
                    new BrokerNode(4, new Endpoint("four", 9092), Map.of("outside", new Endpoint("out", 1)), "r4", 0),
                    new BrokerNode(1, new Endpoint("one", 9092), Map.of(), null, 0)),
            EPOCH);

    private Requests() {}

    /** A request of a version through the primary listener. */
    static RequestContext of(ApiKeys key, int version) {
        return of(key, version, BrokerNode.PRIMARY_LISTENER);
    }

    /** A request of a version through a listener. */
    static RequestContext of(ApiKeys key, int version, String listener) {
        return new RequestContext(
                "c1", listener, "test", key, (short) version, 7, InetSocketAddress.createUnresolved("client", 5));
    }
}
