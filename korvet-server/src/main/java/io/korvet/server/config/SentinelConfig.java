package io.korvet.server.config;

import org.jspecify.annotations.Nullable;

/** Sentinels that know the master of Redis: {@code korvet.redis.sentinel}. */
public record SentinelConfig(
        @Setting(text = "Sentinels that know where Redis is, as `host:port,host:port`. Instead of `uri` and `host`.")
        @Nullable
        String nodes,

        @Setting(text = "Name under which the sentinels watch the master.") @Nullable
        String master,

        @Setting(text = "Password at the sentinels, which may differ from that at Redis.") @Nullable
        String password)
        implements Checked {

    /** Without secrets. */
    @Override
    public String toString() {
        return "SentinelConfig[nodes=" + nodes + ", master=" + master + "]";
    }

    @Override
    public void check(Check check) {
        check.that(
                nodes == null || nodes.matches("[^@/\\s:,]+(:\\d+)?(,[^@/\\s:,]+(:\\d+)?)*"),
                "nodes",
                "host:port,host:port, as in sentinel-1:26379,sentinel-2:26379");
        check.that(nodes == null || master != null, "master", "the name of the master that the sentinels watch");
        check.that(master == null || nodes != null, "nodes", "the sentinels that watch the master");
        check.that(password == null || nodes != null, "password", "none, since there are no sentinels");
    }
}
