package io.korvet.cluster;

import java.time.Duration;

/**
 * The rhythm of the registry.
 *
 * @param heartbeat how often a broker shows that it lives
 * @param refresh how often it looks at the others, at most {@code heartbeat}
 * @param staleAfter how long a broker may show no sign of life, above {@code heartbeat}
 */
public record MembershipSettings(Duration heartbeat, Duration refresh, Duration staleAfter) {

    /** A heartbeat every 10 seconds, a look every 2, stale after 30. */
    public static final MembershipSettings DEFAULTS =
            new MembershipSettings(Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofSeconds(30));

    /** Checks that the durations fit each other. */
    public MembershipSettings {
        if (refresh.toMillis() < 1 || heartbeat.compareTo(refresh) < 0 || staleAfter.compareTo(heartbeat) <= 0) {
            throw new IllegalArgumentException("registry rhythm with refresh " + refresh + ", heartbeat " + heartbeat
                    + ", stale after " + staleAfter + ": expected 0 < refresh <= heartbeat < stale after");
        }
    }

    /** These settings with another heartbeat and staleness, looking at the others at least as often as by default. */
    public static MembershipSettings of(Duration heartbeat, Duration staleAfter) {
        Duration refresh = heartbeat.compareTo(DEFAULTS.refresh) < 0 ? heartbeat : DEFAULTS.refresh;
        return new MembershipSettings(heartbeat, refresh, staleAfter);
    }

    /** After how many looks the next heartbeat is due. */
    int roundsPerHeartbeat() {
        return Math.toIntExact(heartbeat.toMillis() / refresh.toMillis());
    }

    /** After how many looks without a sign of life a broker counts as gone. */
    int roundsUntilStale() {
        return Math.toIntExact((staleAfter.toMillis() + refresh.toMillis() - 1) / refresh.toMillis());
    }
}
