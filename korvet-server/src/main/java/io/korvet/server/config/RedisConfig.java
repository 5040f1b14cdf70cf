package io.korvet.server.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The shared store: {@code korvet.redis}. */
public record RedisConfig(
        @Setting(
                fallbackText = "`redis://localhost:6379`",
                text = "Where Redis is: `redis://[user:password@]host[:port][/database]`, `rediss://` for TLS."
                        + " Instead of `host` and `port`.")
        @Nullable
        String uri,

        @Setting(fallbackText = "`localhost`", text = "Host of Redis, when there is no `uri`.") @Nullable
        String host,

        @Setting(fallbackText = "`6379`", min = 1, max = 65535, text = "Port of Redis, when there is no `uri`.")
        @Nullable
        Integer port,

        @Setting(text = "User name at Redis; goes before the one in `uri`.") @Nullable
        String username,

        @Setting(text = "Password at Redis; goes before the one in `uri`.") @Nullable
        String password,

        @Setting(
                fallback = "5s",
                min = 1,
                max = 3_600_000,
                text = "Time Redis has to connect or to answer before a call counts as failed.")
        Duration timeout,

        @Setting(fallback = "0", max = 1024, text = "Threads for connections to Redis; 0 takes the driver's choice.")
        int ioThreads)
        implements Checked {

    /** This machine's Redis on a port, the rest as configured. */
    public RedisConfig at(String otherHost, int otherPort) {
        return new RedisConfig(null, otherHost, otherPort, null, null, timeout, ioThreads);
    }

    /** The URI to connect to, with a password if {@link #uri()} has one: for the driver, never for a log. */
    public String connectionUri() {
        if (uri != null) {
            return uri;
        }
        return "redis://" + (host == null ? "localhost" : host) + ":" + (port == null ? 6379 : port);
    }

    /** The URI without user name and password, for people. */
    public String shownUri() {
        return connectionUri().replaceFirst("//[^@/]*@", "//");
    }

    /** Without secrets. */
    @Override
    public String toString() {
        return "RedisConfig[" + shownUri() + "]";
    }

    @Override
    public void check(Check check) {
        check.that(uri == null || host == null, "uri", "either a uri or a host, not both");
        check.that(uri == null || port == null, "uri", "either a uri or a port, not both");
        check.that(
                uri == null || isRedisUri(uri),
                "uri",
                "redis://host:port or rediss://host:port, as in redis://localhost:6379");
    }

    private static boolean isRedisUri(String text) {
        try {
            URI parsed = new URI(text);
            return ("redis".equals(parsed.getScheme()) || "rediss".equals(parsed.getScheme()))
                    && parsed.getHost() != null;
        } catch (URISyntaxException e) {
            return false;
        }
    }
}
