package io.korvet.server.config;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One listener: {@code korvet.broker.listeners[n]}, or the primary one. */
public record ListenerConfig(
        @Setting(fallbackText = "required", text = "Name of the listener, the same on every broker of the cluster.")
        String name,

        @Setting(fallback = "0.0.0.0", text = "Address to listen on.")
        String host,

        @Setting(fallbackText = "required", max = 65535, text = "Port to listen on; 0 takes a free one.")
        int port,

        @Setting(
                fallbackText = "`host`, or `localhost` when listening on all addresses",
                text = "Host name handed to clients that came through this listener.")
        @Nullable
        String advertisedHost,

        @Setting(
                fallbackText = "the port bound",
                min = 1,
                max = 65535,
                text = "Port handed to clients that came through this listener.")
        @Nullable
        Integer advertisedPort) {

    private static final Set<String> ALL_ADDRESSES = Set.of("0.0.0.0", "::", "[::]");

    /** What an advertised host is expected to be. */
    static final String ONE_ADDRESS = "a host that clients can connect to, not all addresses of this machine";

    /** Whether clients could connect to an advertised host. */
    static boolean isOneAddress(@Nullable String advertised) {
        return advertised == null || !ALL_ADDRESSES.contains(advertised);
    }

    /** The host name clients are given. */
    public String hostForClients() {
        if (advertisedHost != null) {
            return advertisedHost;
        }
        return ALL_ADDRESSES.contains(host) ? "localhost" : host;
    }

    /** The port clients are given, once {@code bound} is what the listener is bound to. */
    public int portForClients(int bound) {
        return advertisedPort != null ? advertisedPort : bound;
    }
}
