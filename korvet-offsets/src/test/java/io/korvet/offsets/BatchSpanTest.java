package io.korvet.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which records one Kafka batch can hold. */
class BatchSpanTest {

    private static final long BASE = 1_700_000_000_000L << 10;

    @Test
    void aBatchHoldsDeltasOfThirtyOneBits() {
        assertThat(BatchSpan.holds(BASE, BASE)).isTrue();
        assertThat(BatchSpan.holds(BASE, BASE + Integer.MAX_VALUE)).isTrue();
        assertThat(BatchSpan.holds(BASE, BASE + Integer.MAX_VALUE + 1L)).isFalse();
    }

    @Test
    void nothingBeforeItsBaseIsInABatch() {
        assertThat(BatchSpan.holds(BASE, BASE - 1)).isFalse();
        assertThat(BatchSpan.holds(Long.MAX_VALUE, 0)).isFalse();
    }

    @Test
    void theEndsOfTheRangeDoNotOverflow() {
        assertThat(BatchSpan.holds(0, Long.MAX_VALUE)).isFalse();
        assertThat(BatchSpan.holds(Long.MAX_VALUE - 1, Long.MAX_VALUE)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"10, 34", "14, 2", "16, 0"})
    void timeEncodedRecordsFurtherApartThanTheseMinutesNeedTwoBatches(int bits, long wholeMinutes) {
        TimeEncoding encoding = new TimeEncoding(bits);
        long base = encoding.proposalAt(1_700_000_000_000L);
        long within = 1_700_000_000_000L + Duration.ofMinutes(wholeMinutes).toMillis();
        long beyond = 1_700_000_000_000L + Duration.ofMinutes(wholeMinutes + 1).toMillis();
        assertThat(BatchSpan.holds(base, encoding.proposalAt(within))).isTrue();
        assertThat(BatchSpan.holds(base, encoding.proposalAt(beyond))).isFalse();
    }
}
