package io.korvet.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.DenseEncoding;
import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.tiering.TierAction.Reason;
import io.korvet.tiering.TierAction.Remove;
import io.korvet.tiering.TierAction.Seal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The plan as a table. Logs are dense and drawn as segments of 10 entries (offsets 0-9, 10-19 …) and 100 bytes; the last
 * one is open. Times are minutes.
 */
class TierPlannerTest {

    private static final long MINUTE = 60_000;
    private static final OffsetEncoding DENSE = new DenseEncoding();

    /** A segment whose newest timestamp is a minute's; opened at another. */
    private record Drawn(long opened, long newest) {}

    private static Drawn segment(long opened, long newest) {
        return new Drawn(opened, newest);
    }

    private static LogState log(long startOffset, List<Drawn> drawn, long openEntries) {
        List<Segment> segments = new ArrayList<>();
        for (int number = 0; number < drawn.size(); number++) {
            boolean open = number == drawn.size() - 1;
            long entries = open ? openEntries : 10;
            long first = number * 10L;
            segments.add(new Segment(
                    number,
                    open ? SegmentState.OPEN : SegmentState.SEALED,
                    entries == 0 ? null : DENSE.idOf(first),
                    entries == 0 ? null : DENSE.idOf(first + entries - 1),
                    entries == 0 ? -1 : 0,
                    entries == 0 || drawn.get(number).newest() < 0
                            ? -1
                            : drawn.get(number).newest() * MINUTE,
                    null,
                    entries,
                    entries * 10,
                    drawn.get(number).opened() * MINUTE,
                    null));
        }
        Segment open = segments.remove(segments.size() - 1);
        long entries = segments.size() * 10L + openEntries;
        StreamEntryId last = entries == 0 ? null : DENSE.idOf(entries - 1);
        return new LogState("incarnation", startOffset, last, open, segments, entries, entries * 10);
    }

    private static TierPolicy policy(long segmentMinutes, long retentionMinutes, long retentionBytes) {
        long retention = retentionMinutes < 0 ? Retention.UNLIMITED : retentionMinutes * MINUTE;
        return TierPolicy.localOnly(segmentMinutes * MINUTE, new Retention(retention, retentionBytes));
    }

    private static TierAction seal(long segment, Reason reason) {
        return new Seal(segment, reason);
    }

    private static TierAction remove(long segment, Reason reason, long start) {
        return new Remove(segment, reason, start, SegmentState.SEALED);
    }

    static Stream<Arguments> plans() {
        List<Drawn> three = List.of(segment(0, 9), segment(10, 19), segment(20, 29));
        return Stream.of(
                row("nothing is due", log(0, three, 5), policy(30, -1, -1), 29),
                row("an empty log is left alone", log(0, List.of(segment(0, -1)), 0), policy(1, 1, 1), 99),
                row("old enough to seal", log(0, three, 5), policy(30, -1, -1), 50, seal(2, Reason.AGE)),
                row("not quite old enough to seal", log(0, three, 5), policy(31, -1, -1), 50),
                row("an empty segment is never sealed", log(0, three, 0), policy(1, -1, -1), 99),
                row(
                        "a short retention seals before segment.ms",
                        log(0, List.of(segment(0, 5)), 5),
                        policy(1440, 5, -1),
                        5,
                        seal(0, Reason.AGE)),
                row(
                        "an open segment whose newest entry is too old is sealed whatever its age",
                        log(0, List.of(segment(20, 2)), 5),
                        policy(1440, 10, -1),
                        21,
                        seal(0, Reason.AGE)),
                row("as old as the retention stays", log(0, three, 0), policy(1440, 20, -1), 29),
                row(
                        "older than the retention goes",
                        log(0, three, 0),
                        policy(1440, 20, -1),
                        30,
                        remove(0, Reason.AGE, 10)),
                row(
                        "several go, oldest first, and the log start follows to its end",
                        log(0, three, 0),
                        policy(1440, 5, -1),
                        30,
                        remove(0, Reason.AGE, 10),
                        remove(1, Reason.AGE, 20)),
                row(
                        "a timestamp in the future keeps its segment and those after it",
                        log(0, List.of(segment(0, 9_999), segment(10, 19), segment(20, 29)), 0),
                        policy(1440, 5, -1),
                        60),
                row(
                        "without timestamps the time of sealing counts",
                        log(0, List.of(segment(0, -1), segment(10, 19)), 0),
                        policy(1440, 20, -1),
                        31,
                        remove(0, Reason.AGE, 10)),
                row("no limit in time", log(0, three, 0), policy(1440, -1, -1), 1_000_000),
                row(
                        "exactly the bytes to be kept are left",
                        log(0, three, 5),
                        policy(1440, -1, 150),
                        30,
                        remove(0, Reason.SIZE, 10)),
                row("one byte less would be left", log(0, three, 5), policy(1440, -1, 151), 30),
                row(
                        "no bytes are to be kept",
                        log(0, three, 5),
                        policy(1440, -1, 0),
                        30,
                        remove(0, Reason.SIZE, 10),
                        remove(1, Reason.SIZE, 20),
                        seal(2, Reason.SIZE)),
                row(
                        "an open segment above the bytes to be kept is sealed",
                        log(0, List.of(segment(0, 1)), 5),
                        policy(1440, -1, 50),
                        2,
                        seal(0, Reason.SIZE)),
                row(
                        "time and bytes together, each with its reason",
                        log(0, three, 5),
                        policy(1440, 20, 50),
                        30,
                        remove(0, Reason.AGE, 10),
                        remove(1, Reason.SIZE, 20),
                        seal(2, Reason.SIZE)),
                row("the start within a segment keeps it", log(9, three, 5), policy(1440, -1, -1), 30),
                row(
                        "the start passed a segment",
                        log(10, three, 5),
                        policy(1440, -1, -1),
                        30,
                        remove(0, Reason.DELETED, 10)),
                row(
                        "the start lies behind the next segment's first entry",
                        log(14, three, 5),
                        policy(1440, -1, -1),
                        30,
                        remove(0, Reason.DELETED, 14)),
                row(
                        "the start passed everything",
                        log(25, three, 5),
                        policy(1440, -1, -1),
                        30,
                        remove(0, Reason.DELETED, 25),
                        remove(1, Reason.DELETED, 25),
                        seal(2, Reason.DELETED)),
                row(
                        "a new topic with no retention at all loses what is sealed",
                        log(0, List.of(segment(0, 1), segment(1, -1)), 0),
                        policy(1, 0, -1),
                        2,
                        remove(0, Reason.AGE, 10)));
    }

    private static Arguments row(
            String name, LogState log, TierPolicy policy, long nowMinutes, TierAction... expected) {
        return Arguments.of(name, log, policy, nowMinutes * MINUTE, List.of(expected));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void plans(String name, LogState log, TierPolicy policy, long now, List<TierAction> expected) {
        assertThat(TierPlanner.plan(log, DENSE, policy, now)).as(name).isEqualTo(expected);
    }

    @Test
    void timeEncodedOffsetsComeFromIds() {
        OffsetEncoding encoding = new TimeEncoding(10);
        Segment old = sealed(new StreamEntryId(100, 0), new StreamEntryId(200, 5));
        Segment open = open(new StreamEntryId(300, 2));
        LogState log = new LogState("i", 0, new StreamEntryId(300, 2), open, List.of(old), 4, 40);
        assertThat(TierPlanner.plan(log, encoding, policy(1, 0, -1), MINUTE))
                .first()
                .isEqualTo(remove(0, Reason.AGE, 300L << 10 | 2));
    }

    @Test
    void idsOfForeignClientsThatHaveNoOffsetDoNotStopTheRest() {
        OffsetEncoding encoding = new TimeEncoding(1);
        Segment old = sealed(new StreamEntryId(100, 0), new StreamEntryId(200, 1));
        Segment open = open(new StreamEntryId(300, 77));
        LogState log = new LogState("i", 0, new StreamEntryId(300, 77), open, List.of(old), 4, 40);
        assertThat(TierPlanner.plan(log, encoding, policy(1440, 0, -1), MINUTE))
                .first()
                .isEqualTo(remove(0, Reason.AGE, (200L << 1 | 1) + 1));
    }

    private static Segment sealed(StreamEntryId first, StreamEntryId last) {
        return new Segment(0, SegmentState.SEALED, first, last, 0, 0, last, 2, 20, 0, null);
    }

    private static Segment open(StreamEntryId only) {
        return new Segment(1, SegmentState.OPEN, only, only, 0, 0, only, 1, 10, 0, null);
    }
}
