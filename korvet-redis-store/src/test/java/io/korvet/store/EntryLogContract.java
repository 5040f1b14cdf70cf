package io.korvet.store;

import static io.korvet.store.Stages.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.korvet.offsets.DenseEncoding;
import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.AppendResult.Appended;
import io.korvet.store.AppendResult.Fenced;
import io.korvet.store.AppendResult.Stale;
import io.korvet.store.RecordingSink.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link EntryLog} does. */
public abstract class EntryLogContract {

    private static final StreamName ORDERS = new StreamName("orders:0");
    private static final String INCARNATION = "first";
    private static final OffsetEncoding ENCODING = new TimeEncoding(10);

    /** The store under test, empty for each test. */
    protected abstract Store store();

    private EntryLog log() {
        return store().entries();
    }

    @BeforeEach
    void makeTheLog() {
        await(log().create(ORDERS, INCARNATION));
    }

    private LogState state() {
        return Objects.requireNonNull(await(log().state(ORDERS)));
    }

    private Batches next() {
        return Batches.to(ORDERS, INCARNATION).after(state(), ENCODING);
    }

    private Appended append(AppendBatch batch) {
        return (Appended) await(log().append(batch));
    }

    private List<Entry> read(long segment) {
        RecordingSink sink = new RecordingSink();
        int count = await(log().read(ORDERS, segment, StreamEntryId.MINIMUM, 100_000, sink));
        assertThat(count).isEqualTo(sink.entries().size());
        return sink.entries();
    }

    @Test
    void anEmptyLogHasAnOpenSegmentAndNoLastId() {
        assertThat(state())
                .isEqualTo(new LogState(
                        INCARNATION,
                        0,
                        null,
                        new Segment(0, SegmentState.OPEN, null, null, -1, -1, null, 0, 0, 0, null),
                        List.of(),
                        0,
                        0));
        assertThat(await(log().state(new StreamName("other:0")))).isNull();
    }

    @Test
    void aBatchIsReadBackWithTheIdsProposed() {
        Appended appended = append(next().values(log(), "a", "b", "c"));
        assertThat(appended).isEqualTo(new Appended(new StreamEntryId(Batches.NOW, 2), null, 0, 0, 3, 3));
        assertThat(read(0)).extracting(Entry::value).containsExactly("a", "b", "c");
        assertThat(read(0))
                .extracting(Entry::id)
                .containsExactly(
                        new StreamEntryId(Batches.NOW, 0),
                        new StreamEntryId(Batches.NOW, 1),
                        new StreamEntryId(Batches.NOW, 2));
    }

    @Test
    void theNextBatchTellsWhatWasBeforeIt() {
        append(next().values(log(), "a", "b"));
        Appended second = append(next().values(log(), "ccc"));
        assertThat(second.previousLast()).isEqualTo(new StreamEntryId(Batches.NOW, 1));
        assertThat(second.segmentEntries()).isEqualTo(3);
        assertThat(second.segmentBytes()).isEqualTo(5);
        assertThat(state().entries()).isEqualTo(3);
        assertThat(state().bytes()).isEqualTo(5);
    }

    @Test
    void readsStartInTheMiddleAndStopAtTheCount() {
        append(next().values(log(), "a", "b", "c", "d"));
        RecordingSink sink = new RecordingSink();
        await(log().read(ORDERS, 0, new StreamEntryId(Batches.NOW, 1), 2, sink));
        assertThat(sink.entries()).extracting(Entry::value).containsExactly("b", "c");
        assertThat(await(log().read(ORDERS, 7, StreamEntryId.MINIMUM, 2, sink))).isZero();
    }

    @Test
    void anAbsentFieldIsNotAnEmptyOne() {
        List<@Nullable String[]> mixed = List.of(
                new @Nullable String[] {"v", "k"},
                new @Nullable String[] {"", "k"},
                new @Nullable String[] {null, "k"},
                new @Nullable String[] {"v", null, "h", "1", "t"},
                new @Nullable String[] {"v", "k", "h", "2"},
                new @Nullable String[] {null, null, null, "3"},
                new @Nullable String[] {"v", "k"});
        append(next().entries(log(), mixed));
        List<TreeMap<Integer, String>> expected = new ArrayList<>();
        for (@Nullable String[] fields : mixed) {
            TreeMap<Integer, String> entry = new TreeMap<>();
            for (int field = 0; field < fields.length; field++) {
                String value = fields[field];
                if (value != null) {
                    entry.put(field, value);
                }
            }
            expected.add(entry);
        }
        assertThat(read(0)).extracting(Entry::fields).isEqualTo(expected);
    }

    @Test
    void everyShapeOfEntryIsKept() {
        for (int shape = 1; shape < 1 << EntryFields.COUNT; shape++) {
            @Nullable String[] fields = new @Nullable String[EntryFields.COUNT];
            for (int field = 0; field < EntryFields.COUNT; field++) {
                fields[field] = (shape & 1 << field) == 0 ? null : shape + "/" + field;
            }
            append(next().entries(log(), List.of(fields, fields)));
        }
        List<Entry> entries = read(0);
        assertThat(entries).hasSize(62);
        for (int i = 0; i < entries.size(); i++) {
            int shape = i / 2 + 1;
            assertThat(entries.get(i).fields()).hasSize(Integer.bitCount(shape));
            entries.get(i).fields().forEach((field, value) -> assertThat(value).isEqualTo(shape + "/" + field));
        }
    }

    @Test
    void aLongBatchRunsThroughManyMilliseconds() {
        for (int bits : new int[] {1, 10}) {
            OffsetEncoding encoding = new TimeEncoding(bits);
            StreamName stream = new StreamName("bits" + bits + ":0");
            await(log().create(stream, INCARNATION));
            StreamEntryId first = new StreamEntryId(Batches.NOW, 1);
            List<String> values =
                    IntStream.range(0, 5000).mapToObj(Integer::toString).toList();
            Appended appended = append(Batches.to(stream, INCARNATION)
                    .perMillisecond(encoding.sequencesPerMillisecond())
                    .first(first)
                    .values(log(), values));
            RecordingSink sink = new RecordingSink();
            await(log().read(stream, 0, StreamEntryId.MINIMUM, 5000, sink));
            long base = encoding.offsetOf(first.milliseconds(), first.sequence());
            for (int i = 0; i < 5000; i++) {
                Entry entry = sink.entries().get(i);
                assertThat(entry.id()).isEqualTo(encoding.idOf(base + i));
                assertThat(entry.value()).isEqualTo(Integer.toString(i));
            }
            assertThat(appended.last()).isEqualTo(encoding.idOf(base + 4999));
        }
    }

    @Test
    void denseLogsCountUp() {
        OffsetEncoding dense = new DenseEncoding();
        append(Batches.to(ORDERS, INCARNATION).after(state(), dense).values(log(), "a", "b"));
        append(Batches.to(ORDERS, INCARNATION).after(state(), dense).values(log(), "c"));
        assertThat(read(0)).extracting(Entry::id).containsExactly(dense.idOf(0), dense.idOf(1), dense.idOf(2));
    }

    @Test
    void idsNearTheLimitsOfLuaNumbersAreExact() {
        long hugeSequence = (1L << 53) - 10;
        append(Batches.to(ORDERS, INCARNATION)
                .first(new StreamEntryId(1, hugeSequence))
                .perMillisecond(Long.MAX_VALUE)
                .values(log(), "a", "b", "c"));
        assertThat(read(0))
                .extracting(entry -> entry.id().sequence())
                .containsExactly(hugeSequence, hugeSequence + 1, hugeSequence + 2);
        long hugeMilliseconds = (1L << 41) - 2;
        append(Batches.to(ORDERS, INCARNATION)
                .expecting(new StreamEntryId(1, hugeSequence + 2))
                .first(new StreamEntryId(hugeMilliseconds, 1))
                .perMillisecond(2)
                .values(log(), "d", "e", "f", "g"));
        assertThat(read(0))
                .extracting(Entry::id)
                .contains(
                        new StreamEntryId(hugeMilliseconds, 1),
                        new StreamEntryId(hugeMilliseconds + 1, 0),
                        new StreamEntryId(hugeMilliseconds + 1, 1),
                        new StreamEntryId(hugeMilliseconds + 2, 0));
    }

    @Test
    void aBeliefThatIsWrongWritesNothingAndIsAnsweredWithTheTruth() {
        append(next().values(log(), "a"));
        Stale wrongLast = (Stale) await(log().append(Batches.to(ORDERS, INCARNATION)
                .first(new StreamEntryId(Batches.NOW + 5, 0))
                .values(log(), "x")));
        assertThat(wrongLast.state()).isEqualTo(state());
        Stale wrongSegment = (Stale) await(log().append(next().segment(3).values(log(), "x")));
        assertThat(wrongSegment.state()).isEqualTo(state());
        assertThat(read(0)).extracting(Entry::value).containsExactly("a");
    }

    @Test
    void writersAreComparedAndStoredWithTheirEntries() {
        WriterUpdate first = new WriterUpdate("7", "", "7:1");
        append(next().writers(first, new WriterUpdate("8", "", "8:1")).values(log(), "a"));
        assertThat(await(log().writerState(ORDERS, "7"))).isEqualTo("7:1");
        assertThat(await(log().writerState(ORDERS, "9"))).isNull();

        Stale repeated = (Stale) await(log().append(
                        next().writers(new WriterUpdate("9", "", "9:1"), first).values(log(), "a")));
        assertThat(repeated.writers()).containsEntry("7", "7:1").containsEntry("9", "");
        assertThat(await(log().writerState(ORDERS, "9"))).isNull();
        assertThat(read(0)).hasSize(1);

        append(next().writers(new WriterUpdate("7", "7:1", "7:2")).values(log(), "b"));
        assertThat(await(log().writerState(ORDERS, "7"))).isEqualTo("7:2");
    }

    @Test
    void aRollSealsAndWritesToTheNextSegment() {
        append(next().timestamp(50).values(log(), "a", "b"));
        Appended rolled = append(next().timestamp(60).rolling().values(log(), "c"));
        assertThat(rolled.segment()).isEqualTo(1);
        assertThat(rolled.segmentEntries()).isEqualTo(1);
        assertThat(rolled.previousLast()).isEqualTo(new StreamEntryId(Batches.NOW, 1));
        LogState state = state();
        String seal = state.sealed().get(0).seal();
        assertThat(seal).isNotEmpty();
        assertThat(state.sealed())
                .containsExactly(new Segment(
                        0,
                        SegmentState.SEALED,
                        new StreamEntryId(Batches.NOW, 0),
                        new StreamEntryId(Batches.NOW, 1),
                        50,
                        50,
                        new StreamEntryId(Batches.NOW, 0),
                        2,
                        2,
                        Batches.NOW,
                        null,
                        seal));
        assertThat(state.open().number()).isEqualTo(1);
        assertThat(state.open().firstTimestamp()).isEqualTo(60);
        assertThat(state.entries()).isEqualTo(3);
        assertThat(read(0)).hasSize(2);
        assertThat(read(1)).hasSize(1);
    }

    @Test
    void anEmptySegmentIsNotSealedByARoll() {
        assertThat(await(log().append(next().rolling().values(log(), "a"))).kind())
                .isEqualTo(AppendResult.Kind.STALE);
    }

    @Test
    void timestampsAreBookkept() {
        append(next().timestamp(70).values(log(), "a"));
        append(next().timestamp(50).values(log(), "b"));
        append(next().timestamp(90).values(log(), "c", "d"));
        append(next().timestamp(90).values(log(), "e"));
        Segment open = state().open();
        assertThat(open.firstTimestamp()).isEqualTo(50);
        assertThat(open.lastTimestamp()).isEqualTo(90);
        assertThat(open.lastTimestampId()).isEqualTo(new StreamEntryId(Batches.NOW, 2));
    }

    @Test
    void aDeletedLogFencesAndSoDoesOneMadeAnew() {
        append(next().values(log(), "a"));
        LogState before = state();
        await(log().delete(ORDERS, "another"));
        assertThat(state()).isEqualTo(before);
        await(log().delete(ORDERS, INCARNATION));
        assertThat(await(log().state(ORDERS))).isNull();
        assertThat(await(log().append(Batches.to(ORDERS, INCARNATION)
                        .after(before, ENCODING)
                        .values(log(), "b"))))
                .isEqualTo(new Fenced());
        await(log().create(ORDERS, "second"));
        assertThat(await(log().append(Batches.to(ORDERS, INCARNATION)
                        .after(before, ENCODING)
                        .values(log(), "b"))))
                .isEqualTo(new Fenced());
        assertThat(read(0)).isEmpty();
        assertThat(state().last()).isNull();
    }

    @Test
    void makingALogTwiceChangesNothing() {
        append(next().values(log(), "a"));
        LogState before = state();
        await(log().create(ORDERS, INCARNATION));
        assertThat(state()).isEqualTo(before);
    }

    @Test
    void theStartOnlyMovesUp() {
        long huge = (1L << 60) + 1;
        assertThat(await(log().truncateBefore(ORDERS, INCARNATION, 9))).isEqualTo(9);
        assertThat(await(log().truncateBefore(ORDERS, INCARNATION, 10))).isEqualTo(10);
        assertThat(await(log().truncateBefore(ORDERS, INCARNATION, 9))).isEqualTo(10);
        assertThat(await(log().truncateBefore(ORDERS, INCARNATION, huge))).isEqualTo(huge);
        assertThat(await(log().truncateBefore(ORDERS, INCARNATION, huge - 1))).isEqualTo(huge);
        assertThat(await(log().truncateBefore(ORDERS, "another", 11))).isNull();
        assertThat(append(next().values(log(), "a")).startOffset()).isEqualTo(huge);
    }

    @Test
    void theTimeIndexLeadsCloseToATimestamp() {
        String large = "x".repeat(100_000);
        for (int i = 0; i < 12; i++) {
            append(next().timestamp(1000 + i).values(log(), large));
        }
        StreamEntryId early = await(log().seekTimestamp(ORDERS, 0, 1000));
        StreamEntryId late = await(log().seekTimestamp(ORDERS, 0, 1010));
        assertThat(early).isEqualTo(StreamEntryId.MINIMUM);
        assertThat(late)
                .isGreaterThan(new StreamEntryId(Batches.NOW, 5))
                .isLessThanOrEqualTo(new StreamEntryId(Batches.NOW, 10));
        assertThat(await(log().seekTimestamp(ORDERS, 4, 1010))).isEqualTo(StreamEntryId.MINIMUM);
    }

    @Test
    void aProposalThatDoesNotComeAfterTheLastIdIsRefusedAtOnce() {
        StreamEntryId last = new StreamEntryId(5, 5);
        EntryEncoder encoder = log().encoder(1, 1);
        encoder.begin(1, 1);
        encoder.field(1);
        AppendBatch.EncodedEntries entries = encoder.finish();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Batches.to(ORDERS, INCARNATION)
                        .expecting(last)
                        .first(last)
                        .of(entries))
                .withMessageContaining("orders:0");
        entries.buffer().release();
    }
}
