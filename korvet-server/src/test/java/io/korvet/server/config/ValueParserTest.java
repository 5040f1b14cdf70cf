package io.korvet.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.korvet.server.config.Setting.Unit;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValueParserTest {

    @ParameterizedTest
    @CsvSource({"0,0", "17,17", "17B,17", "1KB,1024", "64MB,67108864", "64MiB,67108864", "1.5 gb,1610612736"})
    void sizesTakeUnitsThatArePowersOf1024(String text, long bytes) {
        assertThat(ValueParser.number(text, Unit.BYTES, 0, Long.MAX_VALUE)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({"5,5", "500ms,500", "3s,3000", "1m,60000", "2h,7200000", "7d,604800000"})
    void durationsTakeUnitsAndAreMillisecondsWithout(String text, long milliseconds) {
        assertThat(ValueParser.duration(text)).isEqualTo(Duration.ofMillis(milliseconds));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "1x", "-1s", "9999999999999999999", "9223372036854775807d"})
    void whatIsNoDurationIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ValueParser.duration(text))
                .withMessageContaining("a duration");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "1.5", "-1", "1XB", "99999999999999TB"})
    void whatIsNoSizeIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ValueParser.number(text, Unit.BYTES, 0, Long.MAX_VALUE))
                .withMessageContaining("a size");
    }

    @Test
    void durationsAreShownInTheLargestUnitThatFits() {
        assertThat(ValueParser.show(Duration.ofDays(7))).isEqualTo("7d");
        assertThat(ValueParser.show(Duration.ofSeconds(90))).isEqualTo("90s");
        assertThat(ValueParser.show(Duration.ZERO)).isEqualTo("0ms");
    }
}
