package io.korvet.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that must never change, and the limits of dense offsets. */
class DenseEncodingTest {

    private final DenseEncoding encoding = new DenseEncoding();

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2, 1_000_000, Long.MAX_VALUE})
    void theIdIsOneAndTheOffset(long offset) {
        assertThat(encoding.idOf(offset)).hasToString("1-" + offset);
        assertThat(encoding.offsetOf(1, offset)).isEqualTo(offset);
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "2, 0", "1700000000000, 0", "1, -1"})
    void idsOfOtherWritersHaveNoOffset(long milliseconds, long sequence) {
        assertThat(encoding.fits(milliseconds, sequence)).isFalse();
        assertThatThrownBy(() -> encoding.offsetOf(milliseconds, sequence))
                .isInstanceOf(OffsetException.class)
                .hasMessageContaining("expected 1-<offset>");
    }

    @Test
    void negativeOffsetsHaveNoId() {
        assertThatThrownBy(() -> encoding.idOf(-1)).isInstanceOf(OffsetException.class);
    }

    @Test
    void theTimeOfAnAppendSaysNothingAboutItsOffset() {
        assertThat(encoding.proposalAt(1_700_000_000_000L)).isZero();
        assertThat(encoding.kind()).isEqualTo(OffsetEncoding.Kind.DENSE);
        assertThat(encoding.sequencesPerMillisecond()).isEqualTo(Long.MAX_VALUE);
    }
}
