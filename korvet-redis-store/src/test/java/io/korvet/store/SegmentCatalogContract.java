package io.korvet.store;

import static io.korvet.store.Stages.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.SegmentCatalog.Outcome;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link SegmentCatalog} does. */
public abstract class SegmentCatalogContract {

    private static final StreamName ORDERS = new StreamName("orders:0");
    private static final String INCARNATION = "first";

    /** The store under test, empty for each test. */
    protected abstract Store store();

    private SegmentCatalog segments() {
        return store().segments();
    }

    @BeforeEach
    void makeTheLog() {
        await(store().entries().create(ORDERS, INCARNATION));
    }

    private LogState state() {
        return Objects.requireNonNull(await(store().entries().state(ORDERS)));
    }

    private void append(String value) {
        EntryLog log = store().entries();
        AppendResult result = await(log.append(Batches.to(ORDERS, INCARNATION)
                .after(state(), new TimeEncoding(10))
                .values(log, value)));
        assertThat(result.kind()).isEqualTo(AppendResult.Kind.APPENDED);
    }

    private int entriesOf(long segment) {
        return await(store().entries().read(ORDERS, segment, StreamEntryId.MINIMUM, 100, new RecordingSink()));
    }

    @Test
    void aSegmentIsSealedOnceItHasEntries() {
        assertThat(await(segments().seal(ORDERS, INCARNATION, 0, 9))).isEqualTo(Outcome.NOT_APPLICABLE);
        append("a");
        assertThat(await(segments().seal(ORDERS, INCARNATION, 1, 9))).isEqualTo(Outcome.NOT_APPLICABLE);
        assertThat(await(segments().seal(ORDERS, "another", 0, 9))).isEqualTo(Outcome.FENCED);
        assertThat(await(segments().seal(ORDERS, INCARNATION, 0, 9))).isEqualTo(Outcome.DONE);
        assertThat(await(segments().seal(ORDERS, INCARNATION, 0, 9))).isEqualTo(Outcome.DONE);
        LogState state = state();
        assertThat(state.sealed()).hasSize(1);
        assertThat(state.open().number()).isEqualTo(1);
        assertThat(state.open().openedMilliseconds()).isEqualTo(9);
        assertThat(state.last()).isEqualTo(new StreamEntryId(Batches.NOW, 0));
        append("b");
        assertThat(entriesOf(1)).isEqualTo(1);
    }

    @Test
    void aSegmentGoesThroughItsLifeStepByStep() {
        append("a");
        assertThat(await(segments().dropLocal(ORDERS, INCARNATION, 0))).isEqualTo(Outcome.NOT_APPLICABLE);
        await(segments().seal(ORDERS, INCARNATION, 0, 9));
        assertThat(await(segments().dropLocal(ORDERS, INCARNATION, 0))).isEqualTo(Outcome.NOT_APPLICABLE);
        assertThat(await(segments().markOffloaded(ORDERS, INCARNATION, 0, "s3://b/f.parquet")))
                .isEqualTo(Outcome.DONE);
        assertThat(await(segments().markOffloaded(ORDERS, INCARNATION, 0, "s3://b/f.parquet")))
                .isEqualTo(Outcome.DONE);
        assertThat(await(segments().markOffloaded(ORDERS, INCARNATION, 0, "s3://b/other")))
                .isEqualTo(Outcome.NOT_APPLICABLE);
        Segment offloaded = Objects.requireNonNull(await(segments().segment(ORDERS, 0)));
        assertThat(offloaded.state()).isEqualTo(SegmentState.OFFLOADED);
        assertThat(offloaded.remoteFile()).isEqualTo("s3://b/f.parquet");
        assertThat(offloaded.entries()).isEqualTo(1);
        assertThat(entriesOf(0)).isEqualTo(1);
        assertThat(await(segments().dropLocal(ORDERS, INCARNATION, 0))).isEqualTo(Outcome.DONE);
        assertThat(await(segments().dropLocal(ORDERS, INCARNATION, 0))).isEqualTo(Outcome.DONE);
        assertThat(entriesOf(0)).isZero();
        assertThat(state().entries()).isZero();
        assertThat(state().bytes()).isZero();
        assertThat(state().sealed())
                .singleElement()
                .matches(dropped -> dropped.state() == SegmentState.DROPPED && dropped.entries() == 1);
    }

    @Test
    void eachSealingHasASealOfItsOwnThatStaysWithTheSegment() {
        append("a");
        await(segments().seal(ORDERS, INCARNATION, 0, 9));
        String seal =
                Objects.requireNonNull(await(segments().segment(ORDERS, 0))).seal();
        assertThat(seal).isNotEmpty();
        await(segments().markOffloaded(ORDERS, INCARNATION, 0, "file:///f.parquet"));
        await(segments().dropLocal(ORDERS, INCARNATION, 0));
        assertThat(Objects.requireNonNull(await(segments().segment(ORDERS, 0))).seal())
                .isEqualTo(seal);
        assertThat(state().open().seal()).isNull();
        await(store().entries().delete(ORDERS, INCARNATION));
        await(store().entries().create(ORDERS, INCARNATION));
        append("a");
        await(segments().seal(ORDERS, INCARNATION, 0, 9));
        assertThat(Objects.requireNonNull(await(segments().segment(ORDERS, 0))).seal())
                .isNotEmpty()
                .isNotEqualTo(seal);
    }

    @Test
    void theOldestSegmentIsRemovedAndTheStartFollows() {
        append("a");
        await(segments().seal(ORDERS, INCARNATION, 0, 9));
        append("b");
        await(segments().seal(ORDERS, INCARNATION, 1, 9));
        assertThat(await(segments().remove(ORDERS, INCARNATION, 1, 50))).isEqualTo(Outcome.NOT_APPLICABLE);
        assertThat(await(segments().remove(ORDERS, INCARNATION, 2, 50))).isEqualTo(Outcome.NOT_APPLICABLE);
        assertThat(await(segments().remove(ORDERS, INCARNATION, 0, 50))).isEqualTo(Outcome.DONE);
        assertThat(await(segments().remove(ORDERS, INCARNATION, 0, 50))).isEqualTo(Outcome.DONE);
        assertThat(entriesOf(0)).isZero();
        assertThat(state().startOffset()).isEqualTo(50);
        assertThat(await(segments().segment(ORDERS, 0))).isNull();
        assertThat(Objects.requireNonNull(await(segments().segment(ORDERS, 2))).state())
                .isEqualTo(SegmentState.OPEN);
    }

    @Test
    void theOldestSegmentInRedisMayGoBeforeThoseThatAreOnlyInTheRemoteTier() {
        append("a");
        await(segments().seal(ORDERS, INCARNATION, 0, 9));
        append("b");
        await(segments().seal(ORDERS, INCARNATION, 1, 9));
        await(segments().markOffloaded(ORDERS, INCARNATION, 0, "file:///f.parquet"));
        assertThat(await(segments().remove(ORDERS, INCARNATION, 1, 50))).isEqualTo(Outcome.NOT_APPLICABLE);
        await(segments().dropLocal(ORDERS, INCARNATION, 0));
        assertThat(await(segments().remove(ORDERS, INCARNATION, 1, 50))).isEqualTo(Outcome.DONE);
        assertThat(entriesOf(1)).isZero();
        assertThat(state().startOffset()).isEqualTo(50);
        assertThat(state().sealed()).extracting(Segment::state).containsExactly(SegmentState.DROPPED);
        assertThat(await(segments().remove(ORDERS, INCARNATION, 0, 50))).isEqualTo(Outcome.DONE);
        assertThat(state().sealed()).isEmpty();
    }

    @Test
    void expiredWritersAreForgotten() {
        EntryLog log = store().entries();
        await(log.append(Batches.to(ORDERS, INCARNATION)
                .writers(new WriterUpdate("1", "", "old"), new WriterUpdate("2", "", "new"))
                .values(log, "a")));
        assertThat(await(segments().pruneWriters(ORDERS, "old"::equals))).isEqualTo(1);
        assertThat(await(segments().pruneWriters(ORDERS, "old"::equals))).isZero();
        assertThat(await(log.writerState(ORDERS, "1"))).isNull();
        assertThat(await(log.writerState(ORDERS, "2"))).isEqualTo("new");
    }

    @Test
    void deletingALogRemovesEverySegment() {
        append("a");
        await(segments().seal(ORDERS, INCARNATION, 0, 9));
        append("b");
        await(store().entries().delete(ORDERS, INCARNATION));
        assertThat(entriesOf(0) + entriesOf(1)).isZero();
        assertThat(await(segments().seal(ORDERS, INCARNATION, 1, 9))).isEqualTo(Outcome.FENCED);
    }
}
