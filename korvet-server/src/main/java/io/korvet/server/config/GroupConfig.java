package io.korvet.server.config;

import java.time.Duration;

/** Limits of consumer groups: {@code korvet.broker.group}. */
public record GroupConfig(
        @Setting(
                fallback = "6s",
                min = 1,
                max = Integer.MAX_VALUE,
                text = "Shortest session timeout a group member may ask for.")
        Duration minSessionTimeout,

        @Setting(
                fallback = "30m",
                min = 1,
                max = Integer.MAX_VALUE,
                text = "Longest session timeout a group member may ask for.")
        Duration maxSessionTimeout)
        implements Checked {

    @Override
    public void check(Check check) {
        check.that(
                maxSessionTimeout.compareTo(minSessionTimeout) >= 0,
                "max-session-timeout",
                "at least korvet.broker.group.min-session-timeout (" + ValueParser.show(minSessionTimeout) + ")");
    }
}
