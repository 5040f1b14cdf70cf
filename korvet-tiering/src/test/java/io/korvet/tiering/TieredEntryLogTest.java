package io.korvet.tiering;

import static io.korvet.store.Stages.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.Batches;
import io.korvet.store.LogState;
import io.korvet.store.RecordingSink;
import io.korvet.store.Segment;
import io.korvet.store.StreamName;
import io.korvet.store.memory.InMemoryStore;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.InMemoryColdTier.Call;
import io.korvet.tiering.InMemoryColdTier.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One log over both tiers, and the seam between them while it moves. */
class TieredEntryLogTest {

    private static final StreamName ORDERS = new StreamName("orders:0");
    private static final String INCARNATION = "first";
    private static final TimeEncoding ENCODING = new TimeEncoding(10);

    private final InMemoryStore store = new InMemoryStore();
    private final InMemoryColdTier cold = new InMemoryColdTier(store.entries());
    private final TieredEntryLog log = new TieredEntryLog(store.entries(), cold);

    @BeforeEach
    void makeTheLog() {
        await(store.entries().create(ORDERS, INCARNATION));
        await(cold.lead(1));
    }

    private LogState state() {
        return Objects.requireNonNull(await(store.entries().state(ORDERS)));
    }

    private void append(String... values) {
        await(store.entries()
                .append(Batches.to(ORDERS, INCARNATION).after(state(), ENCODING).values(store.entries(), values)));
    }

    private void seal() {
        await(store.segments().seal(ORDERS, INCARNATION, state().open().number(), Batches.NOW));
    }

    private void offload(long number) {
        Segment sealed = Objects.requireNonNull(await(store.segments().segment(ORDERS, number)));
        await(cold.offload(new ColdSegment(ORDERS, INCARNATION, sealed), OffloadProgress.SILENT));
        await(store.segments().markOffloaded(ORDERS, INCARNATION, number, "memory:" + number));
    }

    private void drop(long number) {
        await(store.segments().dropLocal(ORDERS, INCARNATION, number));
    }

    private List<String> read(long segment, StreamEntryId from, int count) {
        RecordingSink sink = new RecordingSink();
        int read = await(log.read(ORDERS, segment, from, count, sink));
        assertThat(sink.entries()).hasSize(read);
        return sink.entries().stream().map(RecordingSink.Entry::value).toList();
    }

    private List<String> read(long segment) {
        return read(segment, StreamEntryId.MINIMUM, 100);
    }

    @Test
    void whatIsInTheStoreIsReadThere() {
        append("a", "b");
        seal();
        offload(0);
        await(log.state(ORDERS));

        assertThat(read(0)).containsExactly("a", "b");
        assertThat(cold.calls()).noneMatch(call -> call.startsWith("READ"));
    }

    @Test
    void whatWasDroppedIsReadInTheColdTier() {
        append("a", "b");
        seal();
        append("c");
        offload(0);
        drop(0);

        LogState state = Objects.requireNonNull(await(log.state(ORDERS)));
        assertThat(state.sealed()).extracting(Segment::number).containsExactly(0L);
        assertThat(read(0)).containsExactly("a", "b");
        assertThat(read(1)).containsExactly("c");
    }

    @Test
    void aSegmentDroppedSinceTheLastLookIsFoundWhereItIs() {
        append("a", "b");
        seal();
        append("c");
        offload(0);
        await(log.state(ORDERS));
        drop(0);

        assertThat(read(0)).containsExactly("a", "b");
    }

    @Test
    void aSegmentThatWasNeverLookedAtIsFoundToo() {
        append("a");
        seal();
        offload(0);
        drop(0);

        assertThat(read(0)).containsExactly("a");
    }

    @Test
    void theSeamMayMoveBetweenTwoPagesOfASegment() {
        append("a", "b", "c", "d");
        seal();
        offload(0);
        await(log.state(ORDERS));
        StreamEntryId first = Objects.requireNonNull(state().sealed().get(0).first());

        assertThat(read(0, first, 2)).containsExactly("a", "b");
        drop(0);
        assertThat(read(0, new StreamEntryId(first.milliseconds(), first.sequence() + 2), 100))
                .containsExactly("c", "d");
    }

    @Test
    void aReaderAtTheEndAsksForNoState() {
        append("a");
        LogState state = Objects.requireNonNull(await(log.state(ORDERS)));
        StreamEntryId last = Objects.requireNonNull(state.last());

        assertThat(read(0, new StreamEntryId(last.milliseconds(), last.sequence() + 1), 10))
                .isEmpty();
        assertThat(cold.calls()).noneMatch(call -> call.startsWith("READ"));
    }

    @Test
    void nothingIsReadBehindTheEndOfASegment() {
        append("a");
        seal();
        offload(0);
        drop(0);
        StreamEntryId last = Objects.requireNonNull(state().sealed().get(0).last());

        assertThat(read(0, new StreamEntryId(last.milliseconds(), last.sequence() + 1), 10))
                .isEmpty();
    }

    @Test
    void timesAreLookedUpWhereTheSegmentIs() {
        append("a");
        seal();
        offload(0);
        drop(0);
        await(log.state(ORDERS));

        StreamEntryId place = await(log.seekTimestamp(ORDERS, 0, Batches.NOW));
        assertThat(place).isEqualTo(state().sealed().get(0).first());
        assertThat(cold.calls()).anyMatch(call -> call.startsWith("SEEK orders:0/0"));
    }

    @Test
    void anotherIncarnationReadsNothingOfTheFormerOne() {
        append("old");
        seal();
        offload(0);
        drop(0);
        await(log.state(ORDERS));
        await(store.entries().delete(ORDERS, INCARNATION));
        await(store.entries().create(ORDERS, "second"));

        await(log.state(ORDERS));
        assertThat(read(0)).isEmpty();
    }

    @Test
    void aFailureOfTheColdTierIsTheReads() {
        append("a");
        seal();
        offload(0);
        drop(0);
        await(log.state(ORDERS));
        cold.next(Call.READ, Fault.CORRUPT);

        assertThatThrownBy(() -> read(0))
                .isInstanceOfSatisfying(
                        ColdTierException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(Kind.CORRUPT));
        assertThat(read(0)).containsExactly("a");
    }

    @Test
    void nothingIsMissedWhereverTheSeamIsWhenAReadBegins() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<String> expected = new ArrayList<>();
        for (int segment = 0; segment < 8; segment++) {
            String[] values = IntStream.range(0, 1 + random.nextInt(20))
                    .mapToObj(i -> "value-" + expected.size() + "-" + i)
                    .toArray(String[]::new);
            append(values);
            expected.addAll(List.of(values));
            seal();
        }
        List<Runnable> moves = new ArrayList<>();
        for (long segment = 0; segment < 8; segment++) {
            long number = segment;
            moves.add(() -> offload(number));
            moves.add(() -> drop(number));
            moves.add(() -> await(log.state(ORDERS)));
        }
        List<String> found = new ArrayList<>();
        int moved = 0;
        for (long segment = 0; segment < 8; segment++) {
            StreamEntryId from = StreamEntryId.MINIMUM;
            while (true) {
                for (int i = random.nextInt(3); i > 0 && moved < moves.size(); i--) {
                    moves.get(moved++).run();
                }
                RecordingSink sink = new RecordingSink();
                if (await(log.read(ORDERS, segment, from, 1 + random.nextInt(5), sink)) == 0) {
                    break;
                }
                sink.entries().forEach(entry -> found.add(entry.value()));
                StreamEntryId last =
                        sink.entries().get(sink.entries().size() - 1).id();
                from = new StreamEntryId(last.milliseconds(), last.sequence() + 1);
            }
        }
        assertThat(found).as("with seed " + seed).isEqualTo(expected);
    }
}
