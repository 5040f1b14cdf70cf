package io.korvet.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.store.StreamName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which entries are those that the catalog means. */
class ColdSegmentTest {

    private static final StreamEntryId LATE = new StreamEntryId(1_767_225_600_000L, 0);

    private static ColdSegment segment(@Nullable StreamEntryId first, @Nullable StreamEntryId last, long entries) {
        return new ColdSegment(
                new StreamName("orders:0"),
                "first",
                new Segment(3, SegmentState.SEALED, first, last, 0, 0, last, entries, 10, 0, null));
    }

    private static StreamEntryId dense(long offset) {
        return new StreamEntryId(1, offset);
    }

    @Test
    void countAndBothIdsMustAgree() {
        ColdSegment time = segment(new StreamEntryId(500, 0), new StreamEntryId(900, 3), 4);
        assertThat(time.agreesWith(4, new StreamEntryId(500, 0), new StreamEntryId(900, 3)))
                .isTrue();
        assertThat(time.agreesWith(3, new StreamEntryId(500, 0), new StreamEntryId(900, 3)))
                .isFalse();
        assertThat(time.agreesWith(4, new StreamEntryId(499, 0), new StreamEntryId(900, 3)))
                .isFalse();
        assertThat(time.agreesWith(4, new StreamEntryId(500, 0), LATE)).isFalse();
        assertThat(time.agreesWith(0, null, null)).isFalse();
    }

    @Test
    void aDenseSegmentOfItsOwnEntriesOnlyIsExact() {
        ColdSegment own = segment(dense(10), dense(19), 10);
        assertThat(own.agreesWith(10, dense(10), dense(19))).isTrue();
        assertThat(own.agreesWith(10, dense(10), dense(20))).isFalse();
        assertThat(own.agreesWith(10, dense(9), dense(19))).isFalse();
        assertThat(own.agreesWith(10, dense(10), LATE)).isFalse();
    }

    @Test
    void othersEntriesAroundDenseOnesCount() {
        ColdSegment mixed = segment(dense(10), dense(19), 12);
        assertThat(mixed.agreesWith(12, new StreamEntryId(0, 5), LATE)).isTrue();
        assertThat(mixed.agreesWith(12, dense(10), LATE)).isTrue();
        assertThat(mixed.agreesWith(11, dense(10), LATE)).isFalse();
        assertThat(mixed.agreesWith(12, dense(11), LATE)).isFalse();
        assertThat(mixed.agreesWith(12, dense(10), dense(18))).isFalse();
    }

    @Test
    void aDenseSegmentMayHaveNothingButOthersEntries() {
        ColdSegment others = segment(null, dense(761), 3);
        assertThat(others.agreesWith(3, LATE, new StreamEntryId(LATE.milliseconds() + 9, 0)))
                .isTrue();
        assertThat(others.agreesWith(2, LATE, new StreamEntryId(LATE.milliseconds() + 9, 0)))
                .isFalse();
    }
}
