package io.korvet.faults.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventLineTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "1 sent time-0 3.17 1767225600000",
                "2 acknowledged dense-3 3.17 9007199254740993",
                "3 failed time-0 3.17 RecordTooLargeException: too large, 80000 bytes",
                "4 unknown time-0 3.17 TimeoutException",
                "5 positioned time-0 0",
                "6 assigned time-1",
                "7 read time-0 99 1767225600000 103.4",
                "8 broken time-0 99 no value of this run, 4 bytes",
                "9 commit time-0 100",
                "10 committed time-0 100",
                "11 settled time-0 100 101",
                "12 note a few words"
            })
    void aLineIsReadBackAsItWasWritten(String line) {
        assertThat(EventLine.write(EventLine.read(line))).isEqualTo(line);
    }

    @Test
    void aReasonStaysInItsLine() {
        assertThat(EventLine.write(new Event.Note(1, "two\nlines"))).isEqualTo("1 note two lines");
    }

    @Test
    void anythingElseIsRefused() {
        assertThatThrownBy(() -> EventLine.read("1 eaten time-0 3")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> EventLine.read("1")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void valuesAreReadBackAndEveryChangedByteShows() {
        for (int sequence = 0; sequence < 3_000; sequence++) {
            Value value = new Value(201, sequence);
            byte[] bytes = value.bytes();
            assertThat(Value.of(bytes)).isEqualTo(value);
            bytes[bytes.length - 1] ^= 1;
            assertThat(Value.of(bytes)).isNotEqualTo(value);
        }
        assertThat(Value.of("".getBytes(StandardCharsets.US_ASCII))).isNull();
        assertThat(Value.of("1.2".getBytes(StandardCharsets.US_ASCII))).isNull();
        assertThat(Value.of(".|".getBytes(StandardCharsets.US_ASCII))).isNull();
    }
}
