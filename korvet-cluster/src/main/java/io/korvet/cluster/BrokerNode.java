package io.korvet.cluster;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One broker as the registry knows it.
 *
 * @param id unique in the cluster, at least 0
 * @param primary where clients reach it, unless they came through another listener
 * @param listeners endpoints of its further listeners, by listener name
 * @param rack where it stands, {@code null} for not known
 * @param heartbeatMilliseconds its last sign of life by its own clock
 */
public record BrokerNode(
        int id,
        Endpoint primary,
        Map<String, Endpoint> listeners,
        @Nullable String rack,
        long heartbeatMilliseconds) {

    /** The name of the primary listener. */
    public static final String PRIMARY_LISTENER = "broker";

    /** Copies the map and checks the id. */
    public BrokerNode {
        listeners = Map.copyOf(listeners);
        if (id < 0) {
            throw new IllegalArgumentException("broker id " + id + ": expected >= 0");
        }
        if (listeners.containsKey(PRIMARY_LISTENER)) {
            throw new IllegalArgumentException(
                    "listener name '" + PRIMARY_LISTENER + "' is reserved for the primary listener");
        }
    }

    /** The endpoint for clients that came through a listener: that listener's, else the primary one. */
    public Endpoint endpoint(String listener) {
        return listeners.getOrDefault(listener, primary);
    }

    /** The same broker at a later sign of life. */
    public BrokerNode at(long milliseconds) {
        return new BrokerNode(id, primary, listeners, rack, milliseconds);
    }

    /** Whether all but the sign of life is the same. */
    boolean describesSame(BrokerNode other) {
        return equals(other.at(heartbeatMilliseconds));
    }
}
