package io.korvet.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The text form and the order of entry ids. */
class StreamEntryIdTest {

    @ParameterizedTest
    @ValueSource(strings = {"0-0", "1-0", "1700000000000-1023", "9223372036854775807-9223372036854775807"})
    void textIsReadAndWrittenAlike(String text) {
        assertThat(StreamEntryId.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-", "1", "1-", "-1", "-1-0", "a-0", "1-b", "1-2-3", "*", "9223372036854775808-0"})
    void anythingElseIsRefusedWithTheTextInTheMessage(String text) {
        assertThatThrownBy(() -> StreamEntryId.parse(text))
                .isInstanceOf(OffsetException.class)
                .hasMessageContaining("expected <milliseconds>-<sequence>")
                .hasMessageContaining("'" + text + "'");
    }

    @Test
    void negativePartsAreRefused() {
        assertThatThrownBy(() -> new StreamEntryId(-1, 0)).isInstanceOf(OffsetException.class);
        assertThatThrownBy(() -> new StreamEntryId(0, -1)).isInstanceOf(OffsetException.class);
        assertThatThrownBy(() -> StreamEntryId.parse("1--1")).isInstanceOf(OffsetException.class);
    }

    @Test
    void idsAreOrderedByTimeThenBySequence() {
        assertThat(new StreamEntryId(5, 0)).isGreaterThan(new StreamEntryId(4, 9));
        assertThat(new StreamEntryId(5, 1)).isGreaterThan(new StreamEntryId(5, 0));
        assertThat(new StreamEntryId(5, 1)).isEqualByComparingTo(new StreamEntryId(5, 1));
        assertThat(StreamEntryId.MINIMUM).isLessThan(new StreamEntryId(0, 1));
    }
}
