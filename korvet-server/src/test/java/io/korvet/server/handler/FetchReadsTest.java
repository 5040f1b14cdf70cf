package io.korvet.server.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.server.handler.FetchReads.Outcomes;
import io.korvet.server.log.LogBounds;
import io.korvet.server.log.ReadOutcome;
import io.korvet.store.time.ManualScheduler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** How long a fetch waits for reads of the cold tier, and what becomes of those it doesn't wait for. */
class FetchReadsTest {

    private static final ReadOutcome EMPTY = new ReadOutcome(Errors.NONE, List.of(), 9, 0);

    private final ManualScheduler timers = new ManualScheduler(Instant.EPOCH);
    private final CompletableFuture<ReadOutcome> cold = new CompletableFuture<>();
    private BooleanSupplier abandoned = () -> false;
    private final FetchReads reads = new FetchReads();

    private static ReadOutcome records(ByteBuf records) {
        return new ReadOutcome(Errors.NONE, List.of(records), 20, 3);
    }

    private void addCold() {
        reads.addCold(() -> new LogBounds(3, 20), told -> {
            abandoned = told;
            return cold;
        });
    }

    private CompletableFuture<Outcomes> over(long waitWithData, long wait) {
        return reads.whenOver(timers, waitWithData, wait).toCompletableFuture();
    }

    @Test
    void whatIsReadyIsAnsweredWithoutTheColdTierWhenTheWaitIsOver() {
        ByteBuf hot = Unpooled.wrappedBuffer(new byte[] {1});
        reads.add(CompletableFuture.completedFuture(records(hot)));
        addCold();
        CompletableFuture<Outcomes> over = over(100, 500);

        timers.advance(Duration.ofMillis(99));
        assertThat(over).isNotDone();
        timers.advance(Duration.ofMillis(1));

        Outcomes outcomes = over.getNow(new Outcomes(List.of(), true));
        assertThat(outcomes.complete()).isFalse();
        assertThat(outcomes.list().get(0).records()).containsExactly(hot);
        assertThat(outcomes.list().get(1)).isEqualTo(new ReadOutcome(Errors.NONE, List.of(), 20, 3));
        assertThat(abandoned.getAsBoolean()).isTrue();
        hot.release();
    }

    @Test
    void whatComesLateIsReleased() {
        addCold();
        CompletableFuture<Outcomes> over = over(0, 500);
        timers.advance(Duration.ofMillis(500));
        assertThat(over).isDone();

        ByteBuf late = Unpooled.buffer().writeByte(1);
        cold.complete(records(late));
        assertThat(late.refCnt()).isZero();
    }

    @Test
    void withNothingElseToTellItWaitsLonger() {
        reads.add(CompletableFuture.completedFuture(EMPTY));
        addCold();
        CompletableFuture<Outcomes> over = over(100, 500);

        timers.advance(Duration.ofMillis(499));
        assertThat(over).isNotDone();
        cold.complete(EMPTY);

        assertThat(over.getNow(new Outcomes(List.of(), false)).complete()).isTrue();
        assertThat(timers.waiting()).as("timers left").isZero();
    }

    @Test
    void readsOfRedisAreWaitedForInAnyCase() {
        CompletableFuture<ReadOutcome> hot = new CompletableFuture<>();
        reads.add(hot);
        addCold();
        CompletableFuture<Outcomes> over = over(100, 500);

        timers.advance(Duration.ofSeconds(5));
        assertThat(over).isNotDone();
        hot.complete(EMPTY);

        assertThat(over.getNow(new Outcomes(List.of(), true)).complete()).isFalse();
    }
}
