package io.korvet.store;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** Leases that at most one holder has at a time, by Redis' clock; fenced by a token. Thread-safe. */
public interface LeaseStore {

    /** Takes a lease that is free or has run out, or renews the one held with this token; false when another holds it. */
    CompletionStage<Boolean> acquire(String name, String token, Duration duration);

    /** Gives a lease back if it is held with this token. */
    CompletionStage<Boolean> release(String name, String token);
}
