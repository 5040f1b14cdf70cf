package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korvet.tiering.ColdTierException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LoadTurnsTest {

    private static final int PIECES = 40;

    private final ReadShare share = new ReadShare(10, 2, System::nanoTime);
    private final LoadTurns turns = new LoadTurns(1, share);

    /** Uses the processor for so long, step by step, and answers how many times it went on a good while later. */
    private int decode() {
        int[] pauses = new int[1];
        turns.decode(pace -> {
            for (int piece = 0; piece < PIECES; piece++) {
                share.giveWay();
                long until = ProcessorTime.nanoseconds() + TimeUnit.MICROSECONDS.toNanos(300);
                while (ProcessorTime.nanoseconds() < until) {
                    Thread.onSpinWait();
                }
                long before = System.nanoTime();
                pace.step();
                if (System.nanoTime() - before > TimeUnit.MILLISECONDS.toNanos(1)) {
                    pauses[0]++;
                }
            }
        });
        return pauses[0];
    }

    @Test
    void besideHotTrafficDecodingPausesAfterEachPiece() {
        assertThat(decode()).isGreaterThan(PIECES * 3 / 4);
    }

    @Test
    void decodingThatIsInterruptedInAPauseEndsAsClosedAndLeavesItsTurn() {
        assertThatThrownBy(() -> turns.decode(pace -> {
                    share.giveWay();
                    share.used(TimeUnit.SECONDS.toNanos(1));
                    long until = ProcessorTime.nanoseconds() + TimeUnit.MILLISECONDS.toNanos(1);
                    while (ProcessorTime.nanoseconds() < until) {
                        Thread.onSpinWait();
                    }
                    Thread.currentThread().interrupt();
                    pace.step();
                }))
                .isInstanceOf(ColdTierException.class)
                .hasMessageContaining("closed");
        assertThat(Thread.interrupted()).isTrue();
        turns.decode(pace -> {});
    }
}
