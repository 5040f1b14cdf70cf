package io.korvet.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.store.MembershipEpochs;
import io.korvet.store.MembershipEpochs.Epoch;
import io.korvet.store.StoreException;
import io.korvet.store.memory.InMemoryMembershipEpochs;
import java.time.Instant;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Which epoch a broker tells, given what it sees and what is stored. */
class EpochAgreementTest {

    private final InMemoryMembershipEpochs stored =
            new InMemoryMembershipEpochs(() -> Instant.parse("2026-01-01T00:00:00Z"));
    private boolean away;
    private int calls;
    private final EpochAgreement one = new EpochAgreement(new Counted(), Runnable::run);
    private final EpochAgreement two = new EpochAgreement(new Counted(), Runnable::run);

    private final class Counted implements MembershipEpochs {

        @Override
        public CompletionStage<Epoch> present() {
            return answer(stored.present());
        }

        @Override
        public CompletionStage<Epoch> agree(String members, int least, int seen) {
            return answer(away ? stored.present() : stored.agree(members, least, seen));
        }

        private CompletionStage<Epoch> answer(CompletionStage<Epoch> answer) {
            calls++;
            return away
                    ? CompletableFuture.failedStage(new StoreException(StoreException.Kind.UNAVAILABLE, "away"))
                    : answer;
        }
    }

    private Epoch stored() {
        return stored.present().toCompletableFuture().join();
    }

    private static int number(CompletionStage<OptionalInt> epoch) {
        return epoch.toCompletableFuture().join().orElse(-1);
    }

    /** A look at which a broker sees these members. */
    private int look(EpochAgreement broker, String members) {
        broker.see(stored());
        return number(broker.of(members));
    }

    @Test
    void brokersThatSeeTheSameTellTheSameAndAskOnceForEachChange() {
        assertThat(number(one.first("1"))).isEqualTo(1);
        assertThat(number(two.first("1,2"))).isEqualTo(2);
        assertThat(look(one, "1,2")).isEqualTo(2);
        assertThat(look(one, "1")).isEqualTo(3);
        assertThat(calls).isEqualTo(3);
        for (int look = 0; look < 1_000; look++) {
            assertThat(look(one, "1")).isEqualTo(3);
        }
        assertThat(calls).isEqualTo(3);
    }

    @Test
    void aBrokerThatStartsAgainTellsWhatIsStoredForTheSameSet() {
        stored.set(new Epoch(40, "1,2"));
        assertThat(number(one.first("1,2"))).isEqualTo(40);
        assertThat(number(two.first("2"))).isEqualTo(41);
    }

    @Test
    void aHigherNumberOfTheSameSetIsTakenAtTheNextLook() {
        number(one.first("1,2"));
        stored.set(new Epoch(9, "1,2"));
        assertThat(look(one, "1,2")).isEqualTo(9);
        assertThat(calls).isEqualTo(1);
    }

    @Test
    void whoLooksEarlierDoesNotStoreAnOldSetOverANewOne() {
        number(one.first("1,2,3"));
        number(two.first("1,2,3"));
        one.see(stored());
        two.see(stored());
        assertThat(number(two.of("1,2"))).isEqualTo(2);
        // It looked before the other one stored that 3 is gone, and sees nothing but that 2 is.
        assertThat(one.of("1,3").toCompletableFuture().join()).isEmpty();
        assertThat(one.isOvertaken()).isTrue();
        assertThat(stored()).isEqualTo(new Epoch(2, "1,2"));
        assertThat(look(one, "1,2")).isEqualTo(2);
        assertThat(one.isOvertaken()).isFalse();
    }

    @Test
    void anotherSetThatStaysStoredIsReplacedAfterAWhileAndEachTimeLater() {
        number(one.first("1,2"));
        int replaced = 0;
        for (int look = 1; look <= 10_000; look++) {
            stored.set(new Epoch(stored().number() + 1, "1"));
            int before = stored().number();
            int told = look(one, "1,2");
            if (stored().number() > before) {
                assertThat(told).isEqualTo(stored().number());
                replaced++;
            }
            if (look == EpochAgreement.PATIENCE - 1) {
                assertThat(replaced).isZero();
            }
            if (look == EpochAgreement.PATIENCE) {
                assertThat(replaced).isEqualTo(1);
            }
        }
        assertThat(replaced).isBetween(10, 30);
    }

    @Test
    void aStoreThatLostItsDataGoesOnAboveWhatWasTold() {
        stored.set(new Epoch(500, "1,2"));
        number(one.first("1,2"));
        stored.set(new Epoch(499, "1,2"));
        assertThat(look(one, "1,2")).isEqualTo(500);
        assertThat(stored()).isEqualTo(new Epoch(500, "1,2"));
        stored.set(Epoch.NONE);
        assertThat(look(one, "1")).isEqualTo(501);
        stored.set(Epoch.NONE);
        for (int look = 0; look < EpochAgreement.PATIENCE; look++) {
            assertThat(look(one, "1")).isEqualTo(501);
        }
        assertThat(stored()).isEqualTo(new Epoch(501, "1"));
        // A number that stood for another set is not taken for this one.
        stored.set(new Epoch(501, "1,3"));
        assertThat(look(one, "1,3")).isEqualTo(502);
    }

    @Test
    void whileTheStoreIsAwayTheLastNumberIsToldAndAHigherOneAfterwards() {
        number(one.first("1,2"));
        one.see(stored());
        away = true;
        assertThat(number(one.of("1"))).isEqualTo(1);
        assertThat(number(one.of("1"))).isEqualTo(1);
        away = false;
        assertThat(number(one.of("1"))).isEqualTo(2);
        assertThat(stored()).isEqualTo(new Epoch(2, "1"));
    }

    @Test
    void aStoreThatAlwaysHasAnotherSetHoldsAViewUpForAWhileOnly() {
        number(one.first("1,2"));
        int looks = 0;
        do {
            one.see(stored());
            stored.set(new Epoch(stored().number() + 1, "1,2,3"));
            looks++;
        } while (number(one.of("1")) < 0);
        assertThat(looks).isEqualTo(EpochAgreement.PATIENCE);
        assertThat(look(one, "1")).isGreaterThan(EpochAgreement.PATIENCE);
        one.see(stored());
        stored.set(new Epoch(stored().number() + 1, "1,2,3"));
        assertThat(number(one.of("2"))).isNegative();
    }

    @Test
    void afterTheLastNumberAllSetsHaveIt() {
        stored.set(new Epoch(MembershipEpochs.LAST, "1,2"));
        assertThat(number(one.first("1,2"))).isEqualTo(MembershipEpochs.LAST);
        assertThat(number(two.first("1,2,3"))).isEqualTo(MembershipEpochs.LAST);
        assertThat(look(one, "1,2,3")).isEqualTo(MembershipEpochs.LAST);
        assertThat(look(one, "1")).isEqualTo(MembershipEpochs.LAST);
        assertThat(stored()).isEqualTo(new Epoch(MembershipEpochs.LAST, "1"));
    }

    @Test
    void aBrokerThatCantAskDoesNotJoin() {
        away = true;
        assertThat(one.first("1").toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    void whatNoLookHasShownIsAskedForBeforeARound() {
        number(one.first("1,2"));
        stored.set(new Epoch(7, "1,2"));
        one.beforeRound().toCompletableFuture().join();
        assertThat(number(one.of("1,2"))).isEqualTo(7);
        assertThat(calls).isEqualTo(2);
        one.see(stored());
        one.beforeRound().toCompletableFuture().join();
        assertThat(calls).isEqualTo(2);
        away = true;
        one.beforeRound().toCompletableFuture().join();
        assertThat(number(one.of("1,2"))).isEqualTo(7);
    }

    @Test
    void withoutAStoreAllEpochsAreZero() {
        EpochAgreement none = new EpochAgreement(null, Runnable::run);
        none.beforeRound().toCompletableFuture().join();
        assertThat(number(none.first("1"))).isZero();
        assertThat(number(none.of("1,2"))).isZero();
    }
}
