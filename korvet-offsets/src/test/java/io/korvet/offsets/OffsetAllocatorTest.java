package io.korvet.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Batches are contiguous and in order whatever the clock does. */
class OffsetAllocatorTest {

    private static final long NOW = 1_700_000_000_000L;
    private static final TimeEncoding TEN_BITS = new TimeEncoding(10);

    @Test
    void anEmptyLogStartsAtTheTimeOfTheAppend() {
        assertThat(OffsetAllocator.next(TEN_BITS, OffsetAllocator.NONE, NOW)).isEqualTo(NOW << 10);
    }

    @Test
    void anEmptyDenseLogStartsAtZero() {
        assertThat(OffsetAllocator.next(new DenseEncoding(), OffsetAllocator.NONE, NOW))
                .isZero();
    }

    @Test
    void aDenseLogHasNoGaps() {
        assertThat(OffsetAllocator.next(new DenseEncoding(), 41, NOW)).isEqualTo(42);
    }

    @Test
    void aLaterMillisecondSkipsToItsFirstOffset() {
        assertThat(OffsetAllocator.next(TEN_BITS, (NOW << 10) + 7, NOW + 1)).isEqualTo((NOW + 1) << 10);
    }

    @Test
    void aClockThatStepsBackContinuesAfterTheLastOffset() {
        long last = (NOW << 10) + 7;
        assertThat(OffsetAllocator.next(TEN_BITS, last, NOW - 3_600_000)).isEqualTo(last + 1);
        assertThat(OffsetAllocator.next(TEN_BITS, last, -1)).isEqualTo(last + 1);
    }

    @Test
    void aBatchThatOverflowsItsMillisecondRunsIntoTheNext() {
        long base = OffsetAllocator.next(TEN_BITS, OffsetAllocator.NONE, NOW);
        long last = base + 5_000 - 1;
        assertThat(TEN_BITS.idOf(base)).hasToString(NOW + "-0");
        assertThat(TEN_BITS.idOf(base + 1_023)).hasToString(NOW + "-1023");
        assertThat(TEN_BITS.idOf(base + 1_024)).hasToString(NOW + 1 + "-0");
        assertThat(TEN_BITS.idOf(last)).hasToString(NOW + 4 + "-903");
    }

    @Test
    void burstsRunAheadOfTheClockAndTheClockCatchesUp() {
        long last = OffsetAllocator.next(TEN_BITS, OffsetAllocator.NONE, NOW) + 5_000 - 1;
        assertThat(OffsetAllocator.next(TEN_BITS, last, NOW + 1)).isEqualTo(last + 1);
        assertThat(OffsetAllocator.next(TEN_BITS, last, NOW + 5)).isEqualTo((NOW + 5) << 10);
    }

    static Stream<OffsetEncoding> encodings() {
        return OffsetEncodingTest.encodings();
    }

    @ParameterizedTest
    @MethodSource("encodings")
    void batchesNeverOverlapNorGoBackUnderAnyClock(OffsetEncoding encoding) {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        long last = OffsetAllocator.NONE;
        long now = NOW;
        for (int round = 0; round < 10_000; round++) {
            now += random.nextInt(10) == 0 ? -random.nextInt(60_000) : random.nextInt(20);
            long base = OffsetAllocator.next(encoding, last, now);
            assertThat(base).as("seed %d, round %d", seed, round).isGreaterThan(last);
            assertThat(base).as("seed %d, round %d", seed, round).isGreaterThanOrEqualTo(encoding.proposalAt(now));
            assertThat(base == last + 1 || base == encoding.proposalAt(now))
                    .as("no offset is skipped without reason, seed %d, round %d", seed, round)
                    .isTrue();
            last = base + random.nextInt(3_000);
        }
    }
}
