package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReadShareTest {

    private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

    private final AtomicLong clock = new AtomicLong(-5);
    private final ReadShare share = new ReadShare(10, 2, clock::get);

    @Test
    void nothingWaitsWithoutHotTraffic() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(share.begin()).isZero();
            share.done(10 * MILLISECOND);
        }
    }

    @Test
    void besideHotTrafficWorkTakesItsShareOfAllProcessors() {
        long worked = 0;
        for (int millisecond = 0; millisecond < 10_000; millisecond++) {
            share.giveWay();
            if (share.begin() <= 0) {
                share.done(2 * MILLISECOND);
                worked += 2;
            }
            clock.addAndGet(MILLISECOND);
        }

        assertThat(worked).isBetween(1_900L, 2_100L);
    }

    @Test
    void workThatWaitedForNothingIsPaidForByWhatFollows() {
        share.giveWay();
        share.used(20 * MILLISECOND);

        assertThat(share.begin()).isEqualTo(100 * MILLISECOND);
    }

    @Test
    void noWorkOwesMoreThanASecond() {
        share.giveWay();
        share.used(TimeUnit.MINUTES.toNanos(1));

        assertThat(share.begin()).isEqualTo(TimeUnit.SECONDS.toNanos(1));
    }

    @Test
    void theBoundEndsASecondAfterTheLastHotTraffic() {
        share.giveWay();
        share.used(TimeUnit.SECONDS.toNanos(1));
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(999));
        share.used(TimeUnit.SECONDS.toNanos(1));
        assertThat(share.begin()).isPositive();

        clock.addAndGet(MILLISECOND);

        assertThat(share.begin()).isZero();
    }

    @Test
    void awaitingIsOverAtOnceForAThreadThatIsInterrupted() {
        share.giveWay();
        share.used(TimeUnit.SECONDS.toNanos(1));
        Thread.currentThread().interrupt();

        assertThat(share.await()).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aHundredPercentIsNoBound() {
        ReadShare whole = new ReadShare(100, 2, clock::get);
        whole.giveWay();
        whole.used(TimeUnit.MINUTES.toNanos(1));

        assertThat(whole.begin()).isZero();
    }
}
