package io.korvet.server;

/** Who else works with a broker's Redis. */
public enum RedisUse {
    /** Other brokers may; it is run by others, who are told of settings that could be better. */
    SHARED,
    /** Nobody, and nobody can: it was started for this process, so what other brokers left in the registry is of dead ones. */
    PRIVATE
}
