package io.korvet.server.handler;

import io.korvet.cluster.BrokerNode;
import io.korvet.cluster.ClusterView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How one view of the cluster looks to Kafka clients: every live broker is a replica in sync of every partition, since all
 * of them serve it from the same Redis; the leader is named first. One instance answers one request. Not thread-safe.
 */
final class BrokerList {

    private final ClusterView view;
    private final Map<Integer, List<Integer>> replicasByLeader = new HashMap<>();

    BrokerList(ClusterView view) {
        this.view = view;
    }

    /** The live brokers by rising id. */
    List<BrokerNode> nodes() {
        return view.nodes();
    }

    /** The broker shown as controller: the lowest id; every broker serves what controllers do. */
    int controllerId() {
        return view.nodes().get(0).id();
    }

    /** The leader epoch of every partition. */
    int leaderEpoch() {
        return view.leaderEpoch();
    }

    /** Who leads a partition. */
    int leader(String topic, int partition) {
        return view.leaderOf(topic, partition).id();
    }

    /** All live brokers, the leader first. */
    List<Integer> replicas(int leader) {
        return replicasByLeader.computeIfAbsent(leader, first -> {
            List<Integer> ids = new ArrayList<>(view.nodes().size());
            ids.add(first);
            for (BrokerNode node : view.nodes()) {
                if (node.id() != first) {
                    ids.add(node.id());
                }
            }
            return ids;
        });
    }
}
