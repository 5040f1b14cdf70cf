package io.korvet.store.redis;

import static io.korvet.store.Stages.await;
import static io.korvet.store.Stages.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.korvet.offsets.DenseEncoding;
import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.AppendResult;
import io.korvet.store.AppendResult.Appended;
import io.korvet.store.AppendResult.Stale;
import io.korvet.store.Batches;
import io.korvet.store.LogState;
import io.korvet.store.RecordingSink;
import io.korvet.store.Segment;
import io.korvet.store.SegmentCatalog;
import io.korvet.store.StreamName;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Where the end of a log is after a plain Redis client wrote an entry of its own (ADR 0008, docs/redis-keys.md). */
@ParameterizedClass
@MethodSource("io.korvet.store.redis.SharedRedis#servers")
class StrangersAtTheEndIT {

    private static final StreamName ORDERS = new StreamName("orders:0");
    private static final OffsetEncoding DENSE = new DenseEncoding();
    private static final OffsetEncoding TIME = new TimeEncoding(10);

    @Parameter
    SharedRedis redis = SharedRedis.preferred();

    private RedisStore store;

    @BeforeEach
    @SuppressWarnings("NullAway.Init")
    void open() {
        store = redis.openStore();
        await(store.entries().create(ORDERS, "x"));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private LogState state() {
        return Objects.requireNonNull(await(store.entries().state(ORDERS)));
    }

    private AppendResult append(LogState believed, OffsetEncoding encoding, String... values) {
        return await(store.entries()
                .append(Batches.to(ORDERS, "x").after(believed, encoding).values(store.entries(), values)));
    }

    private String strangerAdds(long segment, String id) {
        return redis.server().command("XADD", store.keys().segment(ORDERS, segment), id, "value", "stranger");
    }

    private List<RecordingSink.Entry> entries(long segment) {
        RecordingSink sink = new RecordingSink();
        await(store.entries().read(ORDERS, segment, StreamEntryId.MINIMUM, 100, sink));
        return sink.entries();
    }

    private void seal(long segment) {
        assertThat(await(store.segments().seal(ORDERS, "x", segment, Batches.NOW)))
                .isEqualTo(SegmentCatalog.Outcome.DONE);
    }

    @Test
    void anEntryAtTheNextDenseIdIsOneOfTheLogAndTheNextAppendGoesAfterIt() {
        append(state(), DENSE, "a", "b");
        LogState believed = state();
        assertThat(strangerAdds(0, "1-2")).contains("1-2");

        Stale stale = (Stale) append(believed, DENSE, "c");
        assertThat(stale.state().last()).isEqualTo(DENSE.idOf(2));
        assertThat(stale.state().open().entries()).isEqualTo(3);
        Appended appended = (Appended) append(stale.state(), DENSE, "c");
        assertThat(appended.previousLast()).isEqualTo(DENSE.idOf(2));
        assertThat(appended.last()).isEqualTo(DENSE.idOf(3));
        assertThat(entries(0)).extracting(RecordingSink.Entry::value).containsExactly("a", "b", "stranger", "c");
        assertThat(state().open().first()).isEqualTo(DENSE.idOf(0));
        assertThat(state().open().lastTimestamp()).isEqualTo(Batches.NOW);
    }

    @Test
    void redisItselfGivesTheNextDenseIdToWhoAsksForOne() {
        assumeThat(redis.server().binary().isAtLeast(7)).as("ids <ms>-*").isTrue();
        append(state(), DENSE, "a", "b");
        assertThat(strangerAdds(0, "1-*")).contains("1-2");

        append(state(), DENSE, "c");
        assertThat(append(state(), DENSE, "c").kind()).isEqualTo(AppendResult.Kind.APPENDED);
        assertThat(entries(0)).extracting(RecordingSink.Entry::value).containsExactly("a", "b", "stranger", "c");
    }

    @Test
    void aDenseLogThatBeginsWithAStrangersEntryGoesOnAfterIt() {
        strangerAdds(0, "1-0");
        append(state(), DENSE, "a");
        Appended appended = (Appended) append(state(), DENSE, "a");
        assertThat(appended.last()).isEqualTo(DENSE.idOf(1));
        assertThat(state().open().first()).isEqualTo(DENSE.idOf(0));
        assertThat(state().open().firstTimestamp()).isEqualTo(Batches.NOW);
    }

    @Test
    void sealingADenseSegmentTakesTheStrangersEntryIn() {
        append(state(), DENSE, "a");
        strangerAdds(0, "1-1");
        seal(0);
        assertThat(state().last()).isEqualTo(DENSE.idOf(1));
        assertThat(state().sealed())
                .singleElement()
                .matches(row -> row.entries() == 2 && DENSE.idOf(1).equals(row.last()));
        Appended appended = (Appended) append(state(), DENSE, "b");
        assertThat(appended.last()).isEqualTo(DENSE.idOf(2));
    }

    @Test
    void sealingASegmentThatHasOnlyAStrangersDenseEntriesGivesThemNoTime() {
        strangerAdds(0, "1-0");
        seal(0);
        Segment row = state().sealed().get(0);
        assertThat(row.first()).isEqualTo(DENSE.idOf(0));
        assertThat(row.last()).isEqualTo(DENSE.idOf(0));
        assertThat(row.lastTimestamp()).isEqualTo(-1);
        assertThat(state().last()).isEqualTo(DENSE.idOf(0));
    }

    @Test
    void anIdOfTodayStopsADenseLogUntilItsSegmentIsSealed() {
        append(state(), DENSE, "a");
        strangerAdds(0, "*");
        LogState believed = state();
        assertThat(failure(store.entries()
                        .append(Batches.to(ORDERS, "x").after(believed, DENSE).values(store.entries(), "b"))))
                .hasMessageContaining("dense offsets");
        assertThat(state().last()).isEqualTo(DENSE.idOf(0));
        seal(0);
        assertThat(((Appended) append(state(), DENSE, "b")).last()).isEqualTo(DENSE.idOf(1));
    }

    @Test
    void anEntryBelowTheEndInAnEmptySegmentNeverMovesADenseLogBack() {
        append(state(), DENSE, "a", "b", "c");
        seal(0);
        strangerAdds(1, "1-0");
        Appended appended = (Appended) append(state(), DENSE, "d");
        assertThat(appended.previousLast()).isEqualTo(DENSE.idOf(2));
        assertThat(appended.last()).isEqualTo(DENSE.idOf(3));
        assertThat(state().open().first()).isEqualTo(DENSE.idOf(3));
        assertThat(state().open().entries()).isEqualTo(2);
        strangerAdds(1, "1-4");
        seal(1);
        assertThat(state().last()).isEqualTo(DENSE.idOf(4));
    }

    @Test
    void anEntryOfAClockThatIsBehindNeverMovesATimeEncodedLogBack() {
        append(state(), TIME, "a");
        seal(0);
        StreamEntryId end = Objects.requireNonNull(state().last());
        strangerAdds(1, end.milliseconds() - 600_000 + "-0");
        Appended appended = (Appended) append(state(), TIME, "b");
        assertThat(appended.previousLast()).isEqualTo(end);
        assertThat(appended.last()).isGreaterThan(end);
        strangerAdds(1, end.milliseconds() + 5 + "-0");
        seal(1);
        StreamEntryId later = new StreamEntryId(end.milliseconds() + 5, 0);
        assertThat(state().last()).isEqualTo(later);
        strangerAdds(2, end.milliseconds() + "-0");
        seal(2);
        assertThat(state().last()).isEqualTo(later);
    }
}
