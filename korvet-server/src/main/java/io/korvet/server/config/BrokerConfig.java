package io.korvet.server.config;

import io.korvet.server.config.Setting.Unit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The Kafka side: {@code korvet.broker}. */
public record BrokerConfig(
        @Setting(fallback = "true", text = "Serve Kafka clients in this JVM. Off for a storage worker of its own.")
        boolean enabled,

        @Setting(fallback = "0", max = Integer.MAX_VALUE, text = "This broker's number, unique in the cluster.")
        int id,

        @Setting(fallback = "0.0.0.0", text = "Address to listen on.")
        String host,

        @Setting(fallback = "9092", max = 65535, text = "Port to listen on; 0 takes a free one.")
        int port,

        @Setting(
                fallbackText = "`host`, or `localhost` when listening on all addresses",
                text = "Host name handed to clients in Metadata.")
        @Nullable
        String advertisedHost,

        @Setting(fallbackText = "the port bound", min = 1, max = 65535, text = "Port handed to clients in Metadata.")
        @Nullable
        Integer advertisedPort,

        List<ListenerConfig> listeners,

        @Setting(text = "Rack of this broker, for rack-aware clients.") @Nullable
        String rack,

        @Setting(fallback = "1", min = 1, max = 64, text = "Threads that accept connections.")
        int bossThreads,

        @Setting(
                fallback = "0",
                max = 1024,
                text = "Threads that serve connections, of clients and to Redis; 0 takes one per two processors.")
        int workerThreads,

        @Setting(
                fallback = "100MB",
                unit = Unit.BYTES,
                min = 1024,
                max = Integer.MAX_VALUE,
                text = "Longest request accepted; a longer one closes its connection.")
        int maxRequestBytes,

        @Setting(
                fallback = "100MB",
                unit = Unit.BYTES,
                min = 1024,
                text = "Bytes of requests being worked on at which sockets are no longer read.")
        long maxPendingBytes,

        @Setting(
                fallback = "50MB",
                unit = Unit.BYTES,
                text = "Bytes of requests being worked on at which reading starts again.")
        long resumePendingBytes,

        @Setting(fallback = "1m", max = 3_600_000, text = "Upper bound for the time a fetch waits for records.")
        Duration fetchMaxWait,

        @Setting(
                fallback = "1MB",
                unit = Unit.BYTES,
                min = 1024,
                max = Integer.MAX_VALUE,
                text = "Upper bound for what a fetch returns of one partition; a first record is always whole.")
        int fetchPartitionMaxBytes,

        @Setting(
                fallback = "3s",
                max = 3_600_000,
                text = "How long a new group waits for more members before its first rebalance.")
        Duration rebalanceDelay,

        GroupConfig group,

        @Setting(
                fallback = "64MB",
                unit = Unit.BYTES,
                text = "Recent batches kept for consumers at the tail; 0 reads everything from Redis.")
        long tailCacheBytes,

        @Setting(
                fallback = "true",
                text = "Make topics that clients ask for by Metadata, as producers do before they produce.")
        boolean autoCreateTopics,

        @Setting(fallback = "1", min = 1, max = 10_000, text = "Partitions of a topic made without a number.")
        int defaultPartitions,

        @Setting(fallback = "10s", min = 100, max = 3_600_000, text = "How often the broker registry is told we live.")
        Duration heartbeatInterval,

        @Setting(
                fallback = "30s",
                min = 200,
                max = 86_400_000,
                text = "Age of its last heartbeat at which a broker counts as gone.")
        Duration staleAfter,

        @Setting(
                fallback = "200ms",
                max = 60_000,
                text = "How often a broker looks whether the others live; 0 leaves that to `stale-after`.")
        Duration livenessInterval,

        @Setting(
                fallback = "5s",
                min = 5,
                max = 3_600_000,
                text = "How long a broker that is paused or whose machine is gone may give no sign of life;"
                        + " at least five times `liveness-interval`.")
        Duration livenessTimeout)
        implements Checked {

    /** The name of the primary listener. */
    public static final String PRIMARY_LISTENER = "broker";

    /** Copies the list. */
    public BrokerConfig {
        listeners = List.copyOf(listeners);
    }

    /** The primary listener: host, port and advertised endpoint of this record. */
    public ListenerConfig primaryListener() {
        return new ListenerConfig(PRIMARY_LISTENER, host, port, advertisedHost, advertisedPort);
    }

    /** The primary listener, then the others. */
    public List<ListenerConfig> allListeners() {
        List<ListenerConfig> all = new ArrayList<>();
        all.add(primaryListener());
        all.addAll(listeners);
        return List.copyOf(all);
    }

    @Override
    public void check(Check check) {
        check.that(
                resumePendingBytes < maxPendingBytes,
                "resume-pending-bytes",
                "less than korvet.broker.max-pending-bytes (" + maxPendingBytes + ")");
        check.that(
                staleAfter.compareTo(heartbeatInterval) > 0,
                "stale-after",
                "longer than korvet.broker.heartbeat-interval (" + ValueParser.show(heartbeatInterval) + ")");
        check.that(
                livenessTimeout.compareTo(livenessInterval.multipliedBy(5)) >= 0,
                "liveness-timeout",
                "at least five times korvet.broker.liveness-interval (" + ValueParser.show(livenessInterval) + ")");
        check.that(ListenerConfig.isOneAddress(advertisedHost), "advertised-host", ListenerConfig.ONE_ADDRESS);
        Set<String> names = new HashSet<>(Set.of(PRIMARY_LISTENER));
        Set<Integer> ports = new HashSet<>(Set.of(port));
        for (int index = 0; index < listeners.size(); index++) {
            ListenerConfig listener = listeners.get(index);
            String key = "listeners[" + index + "]";
            check.that(
                    names.add(listener.name()),
                    key + ".name",
                    "a name no other listener has (\"broker\" is the primary one's)");
            check.that(
                    listener.port() == 0 || ports.add(listener.port()),
                    key + ".port",
                    "a port no other listener of this broker has");
            check.that(
                    ListenerConfig.isOneAddress(listener.advertisedHost()),
                    key + ".advertised-host",
                    ListenerConfig.ONE_ADDRESS);
        }
    }
}
