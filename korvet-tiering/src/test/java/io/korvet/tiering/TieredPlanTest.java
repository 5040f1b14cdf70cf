package io.korvet.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.DenseEncoding;
import io.korvet.offsets.OffsetEncoding;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.tiering.TierAction.DropLocal;
import io.korvet.tiering.TierAction.Offload;
import io.korvet.tiering.TierAction.Reason;
import io.korvet.tiering.TierAction.Remove;
import io.korvet.tiering.TierAction.Seal;
import io.korvet.tiering.TierPolicy.Tiering;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The plan for tiered logs as a table (KIP-405). Logs are drawn as the states of their sealed segments, oldest first: S
 * sealed, O offloaded, D dropped. Segment n has offsets 10n to 10n+9 and 100 bytes, was opened at minute 10n and its newest
 * entry is of minute 10n+9. The open segment comes after them, with 5 entries and 50 bytes, opened at minute 10n.
 */
class TieredPlanTest {

    private static final long MINUTE = 60_000;
    private static final OffsetEncoding DENSE = new DenseEncoding();
    private static final long NONE = Retention.UNLIMITED;
    private static final long AS_TOTAL = Retention.AS_TOTAL;

    private static LogState log(String states, long startOffset) {
        List<Segment> sealed = new ArrayList<>();
        long local = 50;
        for (int number = 0; number < states.length(); number++) {
            SegmentState state = switch (states.charAt(number)) {
                case 'S' -> SegmentState.SEALED;
                case 'O' -> SegmentState.OFFLOADED;
                default -> SegmentState.DROPPED;
            };
            local += state == SegmentState.DROPPED ? 0 : 100;
            sealed.add(segment(number, state, 10));
        }
        Segment open = segment(states.length(), SegmentState.OPEN, 5);
        return new LogState("incarnation", startOffset, open.last(), open, sealed, local / 10, local);
    }

    private static Segment segment(long number, SegmentState state, long entries) {
        long first = number * 10;
        return new Segment(
                number,
                state,
                DENSE.idOf(first),
                DENSE.idOf(first + entries - 1),
                first * MINUTE,
                (first + entries - 1) * MINUTE,
                DENSE.idOf(first + entries - 1),
                entries,
                entries * 10,
                first * MINUTE,
                state == SegmentState.OPEN || state == SegmentState.SEALED ? null : "file:///" + number);
    }

    private static TierPolicy policy(Tiering tiering, long localMinutes, long localBytes, long minutes, long bytes) {
        Retention total = new Retention(minutes < 0 ? minutes : minutes * MINUTE, bytes);
        return new TierPolicy(
                1440 * MINUTE,
                Retention.local(localMinutes < 0 ? localMinutes : localMinutes * MINUTE, localBytes, total),
                total,
                tiering);
    }

    private static TierPolicy tiered(long localMinutes, long localBytes, long minutes, long bytes) {
        return policy(Tiering.ENABLED, localMinutes, localBytes, minutes, bytes);
    }

    private static TierPolicy off(long localMinutes, long localBytes, long minutes, long bytes) {
        return policy(Tiering.DISABLED, localMinutes, localBytes, minutes, bytes);
    }

    private static TierAction offload(long segment) {
        return new Offload(segment, Reason.SEALED);
    }

    private static TierAction drop(long segment, Reason reason) {
        return new DropLocal(segment, reason);
    }

    private static TierAction remove(long segment, Reason reason, SegmentState state) {
        return new Remove(segment, reason, segment * 10 + 10, state);
    }

    private static TierAction seal(long segment, Reason reason) {
        return new Seal(segment, reason);
    }

    private static Arguments row(
            String name, LogState log, TierPolicy policy, long nowMinutes, TierAction... expected) {
        return Arguments.of(name, log, policy, nowMinutes * MINUTE, Arrays.asList(expected));
    }

    static Stream<Arguments> plans() {
        return Stream.of(
                row(
                        "what is sealed is copied, whatever its age",
                        log("SS", 0),
                        tiered(NONE, NONE, NONE, NONE),
                        25,
                        offload(0),
                        offload(1)),
                row(
                        "what is copied is not copied again",
                        log("DOS", 0),
                        tiered(NONE, NONE, NONE, NONE),
                        35,
                        offload(2)),
                row(
                        "-1: nothing leaves Redis",
                        log("OOO", 0),
                        tiered(NONE, NONE, NONE, NONE),
                        9_999,
                        seal(3, Reason.AGE)),
                row(
                        "-2: local as total, by time",
                        log("OOO", 0),
                        tiered(AS_TOTAL, AS_TOTAL, 20, NONE),
                        34,
                        remove(0, Reason.AGE, SegmentState.OFFLOADED)),
                row(
                        "-2: local as total, by bytes",
                        log("DOO", 0),
                        tiered(AS_TOTAL, AS_TOTAL, NONE, 250),
                        34,
                        remove(0, Reason.SIZE, SegmentState.DROPPED)),
                row("local by time", log("OOO", 0), tiered(20, NONE, NONE, NONE), 39, drop(0, Reason.AGE)),
                row("as old as the local retention stays", log("OO", 0), tiered(20, NONE, NONE, NONE), 29),
                row(
                        "local by bytes counts what is in Redis",
                        log("DOO", 0),
                        tiered(NONE, 150, NONE, NONE),
                        35,
                        drop(1, Reason.SIZE)),
                row("local by bytes, one byte less would be left", log("DOO", 0), tiered(NONE, 151, NONE, NONE), 35),
                row(
                        "local by time and by bytes, each with its reason",
                        log("OOO", 0),
                        tiered(20, 140, NONE, NONE),
                        35,
                        drop(0, Reason.AGE),
                        drop(1, Reason.SIZE)),
                row(
                        "local by time takes what local by bytes would keep",
                        log("OO", 0),
                        tiered(5, 10_000, NONE, NONE),
                        24,
                        drop(0, Reason.AGE)),
                row(
                        "nothing is dropped that isn't copied, what comes after it doesn't wait for it",
                        log("OSO", 0),
                        tiered(1, NONE, NONE, NONE),
                        31,
                        drop(0, Reason.AGE),
                        drop(2, Reason.AGE),
                        offload(1),
                        seal(3, Reason.AGE)),
                row(
                        "what isn't copied takes from the bytes that may stay",
                        log("SOO", 0),
                        tiered(NONE, 150, NONE, NONE),
                        31,
                        drop(1, Reason.SIZE),
                        drop(2, Reason.SIZE),
                        offload(0)),
                row(
                        "one byte more keeps the last of them",
                        log("SOO", 0),
                        tiered(NONE, 151, NONE, NONE),
                        31,
                        drop(1, Reason.SIZE),
                        offload(0)),
                row(
                        "total by time, both tiers",
                        log("DO", 0),
                        tiered(60, NONE, 5, NONE),
                        22,
                        remove(0, Reason.AGE, SegmentState.DROPPED)),
                row(
                        "total by bytes counts both tiers",
                        log("DDO", 0),
                        tiered(NONE, NONE, NONE, 250),
                        35,
                        remove(0, Reason.SIZE, SegmentState.DROPPED)),
                row("total by bytes, one byte less would be left", log("DDO", 0), tiered(NONE, NONE, NONE, 251), 35),
                row(
                        "total by time, local by bytes",
                        log("DOOO", 0),
                        tiered(NONE, 150, 30, NONE),
                        40,
                        remove(0, Reason.AGE, SegmentState.DROPPED),
                        drop(1, Reason.SIZE),
                        drop(2, Reason.SIZE)),
                row(
                        "total by bytes, local by time",
                        log("DOOO", 0),
                        tiered(10, NONE, NONE, 350),
                        40,
                        remove(0, Reason.SIZE, SegmentState.DROPPED),
                        drop(1, Reason.AGE),
                        drop(2, Reason.AGE)),
                row(
                        "what is removed need not be copied first",
                        log("SSS", 0),
                        tiered(5, NONE, 10, NONE),
                        34,
                        remove(0, Reason.AGE, SegmentState.SEALED),
                        remove(1, Reason.AGE, SegmentState.SEALED),
                        offload(2)),
                row(
                        "enabled late: the old ones are copied",
                        log("SSS", 0),
                        tiered(5, NONE, NONE, NONE),
                        34,
                        offload(0),
                        offload(1),
                        offload(2)),
                row(
                        "enabled late: and then dropped, as far as they are copied",
                        log("OOS", 0),
                        tiered(5, NONE, NONE, NONE),
                        34,
                        drop(0, Reason.AGE),
                        drop(1, Reason.AGE),
                        offload(2)),
                row("switched off: nothing is copied or dropped any more", log("DOS", 0), off(1, 1, NONE, NONE), 35),
                row(
                        "switched off: all follows the total retention",
                        log("DOS", 0),
                        off(1, 1, 10, NONE),
                        40,
                        remove(0, Reason.AGE, SegmentState.DROPPED),
                        remove(1, Reason.AGE, SegmentState.OFFLOADED),
                        remove(2, Reason.AGE, SegmentState.SEALED),
                        seal(3, Reason.AGE)),
                row(
                        "switched off: bytes of both tiers count",
                        log("DOS", 0),
                        off(1, 1, NONE, 150),
                        35,
                        remove(0, Reason.SIZE, SegmentState.DROPPED),
                        remove(1, Reason.SIZE, SegmentState.OFFLOADED)),
                row(
                        "a start that passed a segment removes it from both tiers",
                        log("DOS", 20),
                        tiered(NONE, NONE, NONE, NONE),
                        35,
                        new Remove(0, Reason.DELETED, 20, SegmentState.DROPPED),
                        new Remove(1, Reason.DELETED, 20, SegmentState.OFFLOADED),
                        offload(2)),
                row(
                        "the open segment is sealed by the local retention's time",
                        log("O", 0),
                        tiered(10, NONE, NONE, NONE),
                        20,
                        drop(0, Reason.AGE),
                        seal(1, Reason.AGE)),
                row(
                        "the open segment is sealed by the local retention's bytes",
                        log("", 0),
                        tiered(NONE, 50, NONE, NONE),
                        5,
                        seal(0, Reason.SIZE)),
                row(
                        "the open segment is sealed at once when nothing is kept locally",
                        log("", 0),
                        tiered(0, NONE, NONE, NONE),
                        1,
                        seal(0, Reason.AGE)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void plans(String name, LogState log, TierPolicy policy, long now, List<TierAction> expected) {
        assertThat(TierPlanner.plan(log, DENSE, policy, now)).as(name).isEqualTo(expected);
    }
}
