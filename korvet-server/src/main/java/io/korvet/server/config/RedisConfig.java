package io.korvet.server.config;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/** A Redis: the shared store, {@code korvet.redis}, or one for logs alone, {@code korvet.storage.local.redis}. */
public record RedisConfig(
        @Setting(
                fallbackText = "`redis://localhost:6379`",
                text =
                        "Where Redis is: `redis://[user:password@]host[:port][/database]`, `rediss://` for TLS."
                                + " Instead of `host` and `port`. Of a cluster several `host:port` may be named, separated by commas.")
        @Nullable
        String uri,

        @Setting(fallbackText = "`localhost`", text = "Host of Redis, when there is no `uri`.") @Nullable
        String host,

        @Setting(fallbackText = "`6379`", min = 1, max = 65535, text = "Port of Redis, when there is no `uri`.")
        @Nullable
        Integer port,

        @Setting(fallback = "false", text = "Whether a Redis Cluster is there; any of its nodes tells of the others.")
        boolean cluster,

        SentinelConfig sentinel,

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

        @Setting(
                fallback = "1m",
                max = 86_400_000,
                text =
                        "How long a start waits for a Redis that is there and not ready: one that loads its data, or whose"
                                + " cluster or sentinels have yet to replace a master.")
        Duration startTimeout,

        @Setting(
                fallback = "0",
                max = 1024,
                text =
                        "Threads of their own for the connections to Redis; 0 lets them share korvet.broker.worker-threads.")
        int ioThreads)
        implements Checked {

    /** This machine's Redis on a port, the rest as configured. */
    public RedisConfig at(String otherHost, int otherPort) {
        return new RedisConfig(
                null,
                otherHost,
                otherPort,
                false,
                new SentinelConfig(null, null, null),
                null,
                null,
                timeout,
                startTimeout,
                ioThreads);
    }

    /** Whether anything says where it is. */
    public boolean isConfigured() {
        return uri != null || host != null || port != null || sentinel.nodes() != null;
    }

    /** The URI to connect to with the credentials in it: for the driver, never for a log. */
    public String connectionUri() {
        String bare = uri != null
                ? uri
                : sentinel.nodes() != null
                        ? "redis-sentinel://" + sentinel.nodes() + "/0#" + encoded(String.valueOf(sentinel.master()))
                        : "redis://" + (host == null ? "localhost" : host) + ":" + (port == null ? 6379 : port);
        if (username == null && password == null) {
            return bare;
        }
        String user = username == null ? "" : encoded(username);
        String secret = password == null ? "" : ":" + encoded(password);
        return bare.replaceFirst("//([^@/]*@)?", Matcher.quoteReplacement("//" + user + secret + "@"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** The URI without user name and password, for people. */
    public String shownUri() {
        return connectionUri().replaceFirst("//[^@/]*@", "//");
    }

    /** Without secrets. */
    @Override
    public String toString() {
        return "RedisConfig[" + shownUri() + ", cluster=" + cluster + "]";
    }

    @Override
    public void check(Check check) {
        check.that(uri == null || host == null, "uri", "either a uri or a host, not both");
        check.that(uri == null || port == null, "uri", "either a uri or a port, not both");
        check.that(
                uri == null || isRedisUri(uri),
                "uri",
                cluster
                        ? "redis://host:port,host:port or rediss://host:port, without a number of a database"
                        : "redis://host:port or rediss://host:port, as in redis://localhost:6379");
        check.that(
                sentinel.nodes() == null || (uri == null && host == null && port == null),
                "sentinel.nodes",
                "either sentinels or a uri or host, not both");
        check.that(!cluster || sentinel.nodes() == null, "cluster", "either a cluster or sentinels, not both");
    }

    private boolean isRedisUri(String text) {
        String server = "[^@/\\s:,]+(:\\d+)?";
        String start = "rediss?://([^@/\\s]*@)?" + server;
        return cluster
                ? text.matches(start + "(," + server + ")*/?(\\?\\S*)?")
                : text.matches(start + "(/\\d*)?(\\?\\S*)?") || text.matches("redis-sentinel://\\S+");
    }
}
