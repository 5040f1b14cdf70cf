package io.korvet.cluster;

import io.korvet.store.HeartbeatTable;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * This broker's own row in the registry: written by compare-and-set, so that two brokers never both believe that they
 * have an id. One call at a time.
 */
final class RegistryRow {

    private static final int ATTEMPTS = 5;

    private final BrokerNode self;
    private final String member;
    private final HeartbeatTable table;
    private final Liveness liveness;
    private final Executor executor;
    private final InstantSource clock;

    /** The row that this broker wrote last, or last tried to write without hearing what came of it. */
    private @Nullable String written;

    RegistryRow(BrokerNode self, HeartbeatTable table, Liveness liveness, Executor executor, InstantSource clock) {
        this.self = self;
        this.member = Integer.toString(self.id());
        this.table = table;
        this.liveness = liveness;
        this.executor = executor;
        this.clock = clock;
    }

    /**
     * Writes the row with the present time: over its own last one, where there is none, over one of the same endpoint and
     * over a stale one. Fails with {@link BrokerIdTakenException} when the row is another's.
     */
    CompletionStage<Void> claim() {
        return claim(written, ATTEMPTS);
    }

    private CompletionStage<Void> claim(@Nullable String expected, int attempts) {
        String next = BrokerNodeRow.write(self.at(clock.millis()));
        return writeOver(expected, next)
                .thenComposeAsync(found -> found == null ? done(next) : again(found, attempts), executor);
    }

    private CompletionStage<Void> done(String row) {
        written = row;
        return CompletableFuture.completedFuture(null);
    }

    private CompletionStage<Void> again(String found, int attempts) {
        if (attempts > 1 && claimable(found)) {
            return claim(found.isEmpty() ? null : found, attempts - 1);
        }
        return CompletableFuture.failedFuture(new IllegalStateException(
                "row of broker " + member + " changed " + ATTEMPTS + " times while it was written: " + found));
    }

    private CompletionStage<@Nullable String> writeOver(@Nullable String expected, String next) {
        return table.compareAndSet(member, expected, next).whenComplete((found, failure) -> {
            if (failure != null) {
                written = next;
            }
        });
    }

    private boolean claimable(String found) {
        BrokerNode holder = found.isEmpty() ? null : BrokerNodeRow.read(member, found);
        if (holder == null || holder.primary().equals(self.primary())) {
            return true;
        }
        long now = clock.millis();
        if (liveness.isAlive(member, found, holder.heartbeatMilliseconds(), now)) {
            throw new BrokerIdTakenException(self.primary(), holder, now - holder.heartbeatMilliseconds());
        }
        return true;
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
