package io.korvet.store.memory;

import io.korvet.store.MembershipEpochs;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The number in memory; answers are complete at once. */
public final class InMemoryMembershipEpochs implements MembershipEpochs {

    private static final long START = Instant.parse("2026-01-01T00:00:00Z").getEpochSecond();

    private final InstantSource clock;
    private Epoch stored = Epoch.NONE;
    private int refusals;

    /** None yet, with a clock for the lowest number. */
    public InMemoryMembershipEpochs(InstantSource clock) {
        this.clock = clock;
    }

    /** Loses what it has, or gets what it had before. */
    public synchronized void set(Epoch epoch) {
        stored = epoch;
    }

    /** How often an asker had looked too early. */
    public synchronized int refusals() {
        return refusals;
    }

    @Override
    public synchronized CompletionStage<Epoch> present() {
        return CompletableFuture.completedStage(stored);
    }

    @Override
    public synchronized CompletionStage<Epoch> agree(String members, int least, int seen) {
        boolean known = stored.members().equals(members) && stored.number() >= least;
        if (!known && (seen == ANY || seen == stored.number())) {
            long next = Math.max(
                    Math.max(stored.number() + 1L, least), clock.instant().getEpochSecond() - START);
            stored = new Epoch((int) Math.min(next, LAST), members);
        } else if (!known) {
            refusals++;
        }
        return present();
    }
}
