package io.korvet.cluster;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The live brokers at one moment, as one broker sees them, and who leads what among them. Immutable.
 *
 * <p>A membership hands out the same view until brokers, endpoints or the epoch change, so a view may serve as the key of a cache.
 */
public final class ClusterView {

    private final int self;
    private final List<BrokerNode> nodes;
    private final int[] ids;
    private final int leaderEpoch;

    /** A view of some brokers with leader epoch 0, for a cluster without epochs. */
    public ClusterView(int self, List<BrokerNode> nodes) {
        this(self, nodes, 0);
    }

    /**
     * A view of some brokers.
     *
     * @param self the id of the broker whose view it is
     * @param nodes the live brokers in any order, that one among them
     * @param leaderEpoch what stands for their ids, at least 0
     */
    public ClusterView(int self, List<BrokerNode> nodes, int leaderEpoch) {
        this.self = self;
        this.leaderEpoch = leaderEpoch;
        this.nodes =
                nodes.stream().sorted(Comparator.comparingInt(BrokerNode::id)).toList();
        this.ids = this.nodes.stream().mapToInt(BrokerNode::id).distinct().toArray();
        if (ids.length != nodes.size() || find(self) == null) {
            throw new IllegalArgumentException(
                    "brokers " + this.nodes.stream().map(BrokerNode::id).toList() + ": expected distinct ids with "
                            + self + " among them");
        }
    }

    /** The id of the broker whose view this is. */
    public int self() {
        return self;
    }

    /**
     * The leader epoch of all partitions: a number for the ids of the live brokers, which rises when they change and is the
     * same at all brokers that see the same ones.
     */
    public int leaderEpoch() {
        return leaderEpoch;
    }

    /** The live brokers by rising id; never empty. */
    public List<BrokerNode> nodes() {
        return nodes;
    }

    /** A live broker by its id, {@code null} when there is none. */
    public @Nullable BrokerNode find(int id) {
        for (BrokerNode node : nodes) {
            if (node.id() == id) {
                return node;
            }
        }
        return null;
    }

    /** The broker that leads a partition. */
    public BrokerNode leaderOf(String topic, int partition) {
        return nodes.get(RendezvousHash.owner(RendezvousHash.partition(topic, partition), ids));
    }

    /** The broker that coordinates a group. */
    public BrokerNode coordinatorOf(String group) {
        return nodes.get(RendezvousHash.owner(RendezvousHash.group(group), ids));
    }

    /** Whether this very broker leads a partition. */
    public boolean leads(String topic, int partition) {
        return leaderOf(topic, partition).id() == self;
    }

    /** Whether both views show the same brokers at the same endpoints; the epoch isn't looked at. */
    boolean describesSame(ClusterView other) {
        if (nodes.size() != other.nodes.size()) {
            return false;
        }
        for (int index = 0; index < nodes.size(); index++) {
            if (!nodes.get(index).describesSame(other.nodes.get(index))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return "view of broker " + self + " at epoch " + leaderEpoch + ": " + nodes;
    }
}
