package io.korvet.server.log;

/** Where a segment's entries are, as last seen. */
enum Tier {
    /** In Redis. */
    LOCAL,
    /** In the cold tier only. */
    COLD
}
