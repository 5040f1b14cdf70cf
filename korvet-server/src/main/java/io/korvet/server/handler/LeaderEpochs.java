package io.korvet.server.handler;

import io.korvet.cluster.ClusterView;
import org.apache.kafka.common.protocol.Errors;

/** What the cluster's leader epoch decides for requests about a partition (docs/adr/0024, KIP-320). */
final class LeaderEpochs {

    /** The epoch that all records belong to, whoever led when they were written: entries in Redis have none. */
    static final int OF_RECORDS = 0;

    private LeaderEpochs() {}

    /**
     * Whether this broker serves a partition to a client that knows an epoch: UNKNOWN_LEADER_EPOCH when the client has
     * heard of a later one than this broker, which will in a moment, too; NOT_LEADER_OR_FOLLOWER when another broker leads.
     * An earlier one is served: what leads here now is this broker.
     *
     * @param clientsEpoch the request's current leader epoch, -1 for none
     */
    static Errors problem(ClusterView view, String topic, int partition, int clientsEpoch) {
        if (clientsEpoch > view.leaderEpoch()) {
            return Errors.UNKNOWN_LEADER_EPOCH;
        }
        return view.leads(topic, partition) ? Errors.NONE : Errors.NOT_LEADER_OR_FOLLOWER;
    }
}
