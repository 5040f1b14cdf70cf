package io.korvet.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.store.StreamName;
import io.korvet.store.memory.InMemoryStore;
import io.korvet.store.time.ManualScheduler;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.InMemoryColdTier.Call;
import io.korvet.tiering.InMemoryColdTier.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LateColdTierTest {

    private static final StreamName ORDERS = new StreamName("orders:0");

    private final ManualScheduler thread = new ManualScheduler(Instant.EPOCH);
    private final InMemoryColdTier archive = new InMemoryColdTier(new InMemoryStore().entries());
    private final List<String> heard = new ArrayList<>();
    private @Nullable RuntimeException refusal;
    private final LateColdTier tier = new LateColdTier(this::open, thread, new LateColdTier.Observer() {
        @Override
        public void opened() {
            heard.add("opened");
        }

        @Override
        public void notOpened(ColdTierException failure, Duration pause) {
            heard.add(failure.kind() + " " + pause.toSeconds());
        }
    });

    private ColdTier open() {
        if (refusal != null) {
            throw refusal;
        }
        return archive;
    }

    @Test
    void whatIsThereIsOpenedAtOnceAndUsed() {
        CompletionStage<Void> first = tier.open();
        thread.run();

        assertThat(first).isCompleted();
        assertThat(heard).containsExactly("opened");
        assertThat(tier.problem()).isNull();
        assertThat(tier.lead(1)).isCompleted();
        assertThat(tier.removeLog(ORDERS, "first")).isCompleted();
    }

    @Test
    void untilItIsOpenCallsFailAtOnceWithTheReason() {
        refusal = new ColdTierException(Kind.REFUSED, "no such bucket");
        CompletionStage<Void> first = tier.open();
        thread.run();

        assertThat(kindOf(first)).isEqualTo(Kind.REFUSED);
        assertThat(kindOf(tier.removeLog(ORDERS, "first"))).isEqualTo(Kind.UNAVAILABLE);
        assertThat(tier.removeLog(ORDERS, "first")).isCompletedExceptionally();
        assertThat(tier.problem()).isEqualTo("no such bucket");
    }

    @Test
    void itIsTriedAgainWithGrowingPausesUntilItOpens() {
        refusal = new IllegalStateException("away");
        var unused = tier.open();
        thread.advance(Duration.ofSeconds(90));
        assertThat(heard)
                .containsExactly(
                        "UNAVAILABLE 1",
                        "UNAVAILABLE 2",
                        "UNAVAILABLE 4",
                        "UNAVAILABLE 8",
                        "UNAVAILABLE 16",
                        "UNAVAILABLE 30",
                        "UNAVAILABLE 30");
        refusal = null;
        thread.advance(Duration.ofSeconds(30));
        assertThat(heard).endsWith("opened").hasSize(8);
        assertThat(tier.lead(1)).isCompleted();
        thread.advance(Duration.ofMinutes(10));
        assertThat(heard).hasSize(8);
    }

    @Test
    void aTierThatGoesAwayLaterIsShownUntilItAnswersAgain() {
        var unused = tier.open();
        thread.run();
        assertThat(tier.lead(1)).isCompleted();
        archive.next(Call.REMOVE_LOG, Fault.UNAVAILABLE);

        assertThat(kindOf(tier.removeLog(ORDERS, "first"))).isEqualTo(Kind.UNAVAILABLE);
        assertThat(tier.problem()).isNotNull();
        assertThat(tier.removeLog(ORDERS, "first")).isCompleted();
        assertThat(tier.problem()).isNull();
    }

    @Test
    void whatIsCorruptIsNoTierThatIsAway() {
        var unused = tier.open();
        thread.run();
        assertThat(tier.lead(1)).isCompleted();
        archive.next(Call.REMOVE_LOG, Fault.CORRUPT);

        assertThat(kindOf(tier.removeLog(ORDERS, "first"))).isEqualTo(Kind.CORRUPT);
        assertThat(tier.problem()).isNull();
    }

    @Test
    void onceClosedItIsNotOpenedAnyMore() {
        refusal = new IllegalStateException("away");
        var unused = tier.open();
        thread.run();
        tier.close();
        refusal = null;
        thread.advance(Duration.ofMinutes(1));

        assertThat(heard).containsExactly("UNAVAILABLE 1");
        assertThat(tier.removeLog(ORDERS, "first")).isCompletedExceptionally();
    }

    private static @Nullable Kind kindOf(CompletionStage<?> stage) {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        stage.whenComplete((answer, thrown) -> failure.complete(thrown));
        Throwable cause = failure.getNow(new AssertionError("not over"));
        cause = cause.getCause() != null && !(cause instanceof ColdTierException) ? cause.getCause() : cause;
        return cause instanceof ColdTierException cold ? cold.kind() : null;
    }
}
