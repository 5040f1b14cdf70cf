package io.korvet.cluster;

import io.korvet.store.MembershipEpochs;
import io.korvet.store.MembershipEpochs.Epoch;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the leader epoch of this broker's view (docs/adr/0024): the number that all brokers with the same set of live
 * brokers agree on, which never falls.
 *
 * <p>What is stored is taken when it is about the same set. This broker gives its own set a number when its view has
 * changed, when the store knows a lower number than was told, or when the store has had another set for a while. One call
 * at a time.
 */
final class EpochAgreement {

    private static final Logger LOGGER = LoggerFactory.getLogger(EpochAgreement.class);

    /**
     * For so many looks in a row another set may be stored before this broker stores its own, unchanged one: longer than two
     * brokers' rounds are apart, by which they judge who gives no signs of life. As often in a row another broker may have
     * looked later.
     */
    static final int PATIENCE = 15;
    /** Twice as many each time, so that two brokers that go on to differ don't count up without end. */
    private static final int LONGEST_PATIENCE = 32 * PATIENCE;

    private final @Nullable MembershipEpochs store;
    private final Executor executor;

    /** As stored before the rows that are judged now were read. */
    private Epoch seen = Epoch.NONE;
    /** What this broker last agreed on. */
    private Epoch told = Epoch.NONE;

    private boolean seenSinceRound;
    private boolean overtaken;
    private boolean failing;
    private int looksApart;
    private int timesOvertaken;
    private int patience = PATIENCE;

    /** Without a store all epochs are 0. */
    EpochAgreement(@Nullable MembershipEpochs store, Executor executor) {
        this.store = store;
        this.executor = executor;
    }

    /** What a look has shown; to be told before the rows are read. */
    void see(Epoch stored) {
        seen = stored;
        seenSinceRound = true;
        overtaken = false;
    }

    /** Asks the store what no look has shown since the last round; a failure leaves it open. */
    CompletionStage<Void> beforeRound() {
        boolean known = seenSinceRound;
        seenSinceRound = false;
        return known || store == null
                ? CompletableFuture.completedFuture(null)
                : store.present()
                        .handleAsync(
                                (stored, failure) -> {
                                    if (stored != null) {
                                        seen = stored;
                                        overtaken = false;
                                    }
                                    return null;
                                },
                                executor);
    }

    /** Whether another broker has looked later than this one, which should look again soon, and at the rows too. */
    boolean isOvertaken() {
        return overtaken;
    }

    /** The epoch of the first view, of a broker that joins; fails as the store does. */
    CompletionStage<OptionalInt> first(String members) {
        return store == null
                ? of(members)
                : store.agree(members, next(), MembershipEpochs.ANY).thenApplyAsync(this::agreed, executor);
    }

    /**
     * The epoch to tell with a set of live brokers: the one agreed on, or, when the store can't say, the one told last.
     * Empty when another broker has looked later and stored another set: then the view stays as it is. That it never stays
     * for good, the last one is told also when it was so {@link #PATIENCE} times in a row.
     */
    CompletionStage<OptionalInt> of(String members) {
        if (store == null) {
            return CompletableFuture.completedFuture(OptionalInt.of(0));
        }
        boolean moved = !members.equals(told.members());
        int least = moved ? next() : told.number();
        boolean stored = members.equals(seen.members());
        if (stored && seen.number() >= least) {
            return CompletableFuture.completedFuture(agreed(seen));
        }
        if (!moved && !stored && ++looksApart < patience) {
            return CompletableFuture.completedFuture(OptionalInt.of(told.number()));
        }
        looksApart = 0;
        patience = moved ? PATIENCE : Math.min(patience * 2, LONGEST_PATIENCE);
        return store.agree(members, least, seen.number())
                .handleAsync((answer, failure) -> answered(members, answer, failure), executor);
    }

    private int next() {
        return Math.min(told.number() + 1, MembershipEpochs.LAST);
    }

    private OptionalInt answered(String members, @Nullable Epoch answer, @Nullable Throwable failure) {
        if (answer == null) {
            if (!failing) {
                failing = true;
                LOGGER.atWarn()
                        .setCause(failure)
                        .log("the leader epoch can't be agreed on; the last one is told and it is tried again");
            }
            return OptionalInt.of(told.number());
        }
        if (!answer.members().equals(members)) {
            overtaken = true;
            return ++timesOvertaken < PATIENCE ? OptionalInt.empty() : OptionalInt.of(told.number());
        }
        return agreed(answer);
    }

    private OptionalInt agreed(Epoch epoch) {
        looksApart = 0;
        timesOvertaken = 0;
        failing = false;
        told = epoch;
        return OptionalInt.of(epoch.number());
    }
}
