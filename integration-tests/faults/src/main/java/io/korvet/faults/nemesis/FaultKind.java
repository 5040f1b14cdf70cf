package io.korvet.faults.nemesis;

import java.util.Locale;

/** What can be done to a cluster. Those about a broker take one that the seed chooses. */
public enum FaultKind {
    /** A broker is killed (SIGKILL); healed by starting it again. */
    BROKER_KILLED,
    /** A broker is stopped (SIGSTOP) and wakes up later. */
    BROKER_PAUSED,
    /** A broker and Redis don't hear each other; clients reach both brokers and this one. */
    BROKER_CUT_FROM_REDIS,
    /** What a broker sends doesn't reach Redis; answers to what was sent before do. */
    BROKER_TO_REDIS_LOST,
    /** What Redis sends doesn't reach a broker: appends are carried out and nobody hears of it. */
    REDIS_TO_BROKER_LOST,
    /** A broker and the clients don't hear each other; the broker reaches Redis and lives. */
    BROKER_CUT_FROM_CLIENTS,
    /** What clients send doesn't reach a broker. */
    CLIENTS_TO_BROKER_LOST,
    /** What a broker sends doesn't reach the clients: records are stored and nobody hears of it. */
    BROKER_TO_CLIENTS_LOST,
    /** No broker hears another one, which none of them needs. */
    BROKERS_CUT_FROM_EACH_OTHER,
    /** The link of a broker carries little. */
    BROKER_SLOW,
    /** The link of Redis carries little. */
    REDIS_SLOW,
    /** Redis is killed (SIGKILL); healed by starting it again from its append-only file. */
    REDIS_KILLED,
    /** Redis is stopped (SIGSTOP) and wakes up later. */
    REDIS_PAUSED,
    /** The wall clock of a running broker is stepped ten minutes ahead, and back. */
    CLOCK_AHEAD,
    /** The wall clock of a running broker is stepped ten minutes back, and ahead again. */
    CLOCK_BEHIND,
    /** A broker is killed and started with a clock ten minutes off; healed by stepping it right. */
    STARTED_WITH_CLOCK_APART,
    /** A broker's row is taken out of the registry again and again: the others take its partitions, it goes on leading them. */
    TWO_LEADERS;

    /** A short name for people. */
    public String words() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
