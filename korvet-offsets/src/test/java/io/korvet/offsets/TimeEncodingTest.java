package io.korvet.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that must never change, and the limits of time-encoded offsets. */
class TimeEncodingTest {

    private static final long EXACT_IN_A_DOUBLE = 1L << 53;

    @ParameterizedTest
    @CsvSource({
        "10, 1700000000000, 0, 1740800000000000",
        "10, 1700000000000, 1023, 1740800000001023",
        "1, 1700000000000, 1, 3400000000001",
        "16, 1700000000000, 65535, 111411200000065535",
        "10, 0, 1, 1",
        "10, 1, 0, 1024",
    })
    void offsetsOfIdsNeverChange(int bits, long milliseconds, long sequence, long offset) {
        TimeEncoding encoding = new TimeEncoding(bits);
        assertThat(encoding.offsetOf(milliseconds, sequence)).isEqualTo(offset);
        assertThat(encoding.idOf(offset)).isEqualTo(new StreamEntryId(milliseconds, sequence));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 17, 64})
    void bitsOutsideOneToSixteenAreRefused(int bits) {
        assertThatThrownBy(() -> new TimeEncoding(bits))
                .isInstanceOf(OffsetException.class)
                .hasMessageContaining("expected 1 to 16");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void whatDoesNotFitHasNoOffset(int bits) {
        TimeEncoding encoding = new TimeEncoding(bits);
        long sequences = 1L << bits;
        long lastMillisecond = Long.MAX_VALUE >> bits;
        assertThat(encoding.sequencesPerMillisecond()).isEqualTo(sequences);
        assertThat(encoding.fits(5, sequences - 1)).isTrue();
        assertThat(encoding.fits(5, sequences)).isFalse();
        assertThat(encoding.fits(5, -1)).isFalse();
        assertThat(encoding.fits(-1, 0)).isFalse();
        assertThat(encoding.fits(lastMillisecond + 1, 0)).isFalse();
        assertThat(encoding.offsetOf(lastMillisecond, sequences - 1)).isEqualTo(Long.MAX_VALUE);
        assertThatThrownBy(() -> encoding.offsetOf(5, sequences))
                .isInstanceOf(OffsetException.class)
                .hasMessageContaining("5-" + sequences)
                .hasMessageContaining("below " + sequences);
        assertThatThrownBy(() -> encoding.offsetOf(lastMillisecond + 1, 0)).isInstanceOf(OffsetException.class);
        assertThatThrownBy(() -> encoding.idOf(-1)).isInstanceOf(OffsetException.class);
    }

    @Test
    void withTenBitsOffsetsAreExactInADoubleUntilTheYear2248() {
        TimeEncoding encoding = new TimeEncoding(TimeEncoding.DEFAULT_BITS);
        assertThat(encoding.proposalAt(Instant.parse("2248-01-01T00:00:00Z").toEpochMilli()))
                .isLessThan(EXACT_IN_A_DOUBLE);
        assertThat(encoding.proposalAt(Instant.parse("2249-01-01T00:00:00Z").toEpochMilli()))
                .isGreaterThan(EXACT_IN_A_DOUBLE);
    }

    @Test
    void withThirteenBitsTheyNoLongerAre() {
        long now = Instant.parse("2025-01-01T00:00:00Z").toEpochMilli();
        assertThat(new TimeEncoding(12).proposalAt(now)).isLessThan(EXACT_IN_A_DOUBLE);
        assertThat(new TimeEncoding(13).proposalAt(now)).isGreaterThan(EXACT_IN_A_DOUBLE);
    }

    @Test
    void offsetZeroIsNeverProposedSinceRedisHasNoEntryZero() {
        assertThat(new TimeEncoding(10).proposalAt(0)).isEqualTo(1);
        assertThat(new TimeEncoding(10).proposalAt(-5)).isEqualTo(1);
    }
}
