package io.korvet.cluster;

import io.korvet.store.HeartbeatTable;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This broker's own row in the registry: written by compare-and-set, so that two brokers never both believe that they
 * have an id. One call at a time.
 */
final class RegistryRow {

    private static final Logger LOGGER = LoggerFactory.getLogger(RegistryRow.class);

    private static final int ATTEMPTS = 5;

    private final BrokerNode self;
    private final String member;
    private final HeartbeatTable table;
    private final Liveness liveness;
    private final Function<BrokerNode, CompletionStage<Boolean>> declaredDead;
    private final MembershipObserver observer;
    private final Executor executor;
    private final InstantSource clock;

    /** The row that this broker wrote last, or last tried to write without hearing what came of it. */
    private @Nullable String written;
    /** Whether the store has said that it was written. */
    private boolean sure;
    /** Whether it was written out of turn since the last round. */
    private boolean rewritten;
    /** Whether it was found lost. */
    private boolean lost;
    /** Whether its loss was logged and no heartbeat has found it in its place since. */
    private boolean lossLogged;

    /**
     * A row not written yet.
     *
     * @param declaredDead whether the broker that has the id is marked as dead
     */
    RegistryRow(
            BrokerNode self,
            HeartbeatTable table,
            Liveness liveness,
            Function<BrokerNode, CompletionStage<Boolean>> declaredDead,
            MembershipObserver observer,
            Executor executor,
            InstantSource clock) {
        this.self = self;
        this.member = Integer.toString(self.id());
        this.table = table;
        this.liveness = liveness;
        this.declaredDead = declaredDead;
        this.observer = observer;
        this.executor = executor;
        this.clock = clock;
    }

    /**
     * Writes the row with the present time: over its own last one, where there is none, over one of the same endpoint, and
     * over one that is stale or whose broker was declared dead. Fails with {@link BrokerIdTakenException} when the row is another's.
     */
    CompletionStage<Void> claim() {
        return claim(written, ATTEMPTS);
    }

    private CompletionStage<Void> claim(@Nullable String expected, int attempts) {
        String next = BrokerNodeRow.write(self.at(clock.millis()));
        return writeOver(expected, next)
                .thenComposeAsync(
                        found -> {
                            if (found != null) {
                                return again(found, attempts);
                            }
                            lossLogged &= attempts < ATTEMPTS;
                            return done(next);
                        },
                        executor);
    }

    private CompletionStage<Void> done(String row) {
        written = row;
        sure = true;
        return CompletableFuture.completedFuture(null);
    }

    private CompletionStage<Void> again(String found, int attempts) {
        if (attempts <= 1) {
            return CompletableFuture.failedFuture(new IllegalStateException(
                    "row of broker " + member + " changed " + ATTEMPTS + " times while it was written: " + found));
        }
        return claimable(found)
                .thenComposeAsync(
                        yes -> {
                            if (sure && attempts == ATTEMPTS) {
                                noteLoss(found);
                            }
                            return claim(found.isEmpty() ? null : found, attempts - 1);
                        },
                        executor);
    }

    private CompletionStage<@Nullable String> writeOver(@Nullable String expected, String next) {
        return table.compareAndSet(member, expected, next).whenComplete((found, failure) -> {
            if (failure != null) {
                written = next;
                sure = false;
            }
        });
    }

    /** Fails when the row is that of a live broker at another endpoint. */
    private CompletionStage<Void> claimable(String found) {
        BrokerNode holder = others(found);
        long now = clock.millis();
        if (holder == null || !liveness.isAlive(member, found, holder.heartbeatMilliseconds(), now)) {
            return CompletableFuture.completedFuture(null);
        }
        return declaredDead.apply(holder).thenAccept(dead -> {
            if (!dead) {
                sure = false;
                throw new BrokerIdTakenException(self.primary(), holder, now - holder.heartbeatMilliseconds());
            }
        });
    }

    private @Nullable BrokerNode others(String found) {
        BrokerNode holder = found.isEmpty() ? null : BrokerNodeRow.read(member, found);
        return holder == null || holder.primary().equals(self.primary()) ? null : holder;
    }

    /** Whether a row of this broker's id is that of a broker at another endpoint. */
    boolean isAnothers(String found) {
        return !found.equals(written) && others(found) != null;
    }

    /** A round begins. */
    void nextRound() {
        rewritten = false;
    }

    /**
     * Whether the row is surely not as it was written, so that the heartbeat is due. Only once in a round, so that brokers
     * that both take the row for theirs, or whoever goes on removing it, don't make it a flood.
     *
     * @param found the row that is there, {@code null} or empty for none
     */
    boolean isLost(@Nullable String found) {
        return sure && !rewritten && written != null && !written.equals(found);
    }

    /** Writes a lost row again, as {@link #claim()} does. */
    CompletionStage<Void> claimLost() {
        rewritten = true;
        return claim();
    }

    /** Whether the row was found lost since this was last asked. */
    boolean takeLoss() {
        boolean was = lost;
        lost = false;
        return was;
    }

    private void noteLoss(String found) {
        lost = true;
        observer.lostRow();
        if (!lossLogged) {
            lossLogged = true;
            LOGGER.atWarn()
                    .addKeyValue("brokerId", self.id())
                    .addKeyValue("row", found)
                    .log("this broker's row in the registry is gone or changed; it is written again");
        }
    }

    /** Removes the row if it is this broker's. */
    CompletionStage<Void> remove() {
        String last = written;
        if (last == null) {
            return CompletableFuture.completedFuture(null);
        }
        return table.remove(member, last)
                .thenComposeAsync(
                        removed -> removed ? CompletableFuture.<Void>completedFuture(null) : removeUnknown(), executor);
    }

    /** A heartbeat whose answer was lost may have left a newer row. */
    private CompletionStage<Void> removeUnknown() {
        return table.rows()
                .thenComposeAsync(
                        rows -> {
                            String found = rows.get(member);
                            BrokerNode holder = found == null ? null : BrokerNodeRow.read(member, found);
                            return found != null
                                            && holder != null
                                            && holder.primary().equals(self.primary())
                                    ? table.remove(member, found).thenApply(removed -> null)
                                    : CompletableFuture.completedFuture(null);
                        },
                        executor);
    }
}
