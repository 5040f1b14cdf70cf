package io.korvet.cluster;

/**
 * Where a client reaches a broker.
 *
 * @param host a name or address, not empty
 * @param port 1 to 65535
 */
public record Endpoint(String host, int port) {

    /** Checks both parts. */
    public Endpoint {
        if (host.isBlank()) {
            throw new IllegalArgumentException("endpoint with an empty host: expected a name or address");
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("endpoint " + host + ":" + port + ": expected a port from 1 to 65535");
        }
    }

    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
