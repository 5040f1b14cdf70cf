package io.korvet.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.DenseEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
import io.korvet.server.topics.TopicSettings;
import io.korvet.store.AppendBatch.Roll;
import io.korvet.store.AppendResult;
import io.korvet.store.EntryLog.CopiedState;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.store.StoreException;
import io.korvet.store.StreamName;
import io.korvet.store.WriterUpdate;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AppendQueueTest {

    private static final long NO_ROLL = Long.MAX_VALUE;
    private static final TopicSettings SETTINGS = TestSettings.dense(1);

    private final ManualEntryLog log = new ManualEntryLog();
    private final InstantSource clock = InstantSource.fixed(Instant.ofEpochMilli(1_764_000_000_000L));
    private final List<String> events = new ArrayList<>();
    private final AppendQueue queue = new AppendQueue(
            new StreamName("orders:0"),
            "id-1",
            new DenseEncoding(),
            log,
            UnpooledByteBufAllocator.DEFAULT,
            clock,
            new AppendFailures(clock),
            new AppendListener() {
                @Override
                public void appended(
                        IncomingBatch batch, long previousLast, long baseOffset, long segment, boolean isCopied) {
                    events.add("appended " + baseOffset + " after " + previousLast);
                }

                @Override
                public void copiesMissing() {}

                @Override
                public void stateRead(LogState state) {
                    events.add("state");
                }

                @Override
                public void fenced() {
                    events.add("fenced");
                }

                @Override
                public void wake() {
                    events.add("wake");
                }
            });

    @AfterEach
    void nothingIsLeftOpen() {
        log.end();
    }

    private IncomingBatch batch(int records) {
        return batch(records, -1, (short) -1, -1);
    }

    private IncomingBatch batch(int records, long producerId, short epoch, int sequence) {
        SimpleRecord[] values = new SimpleRecord[records];
        for (int i = 0; i < records; i++) {
            values[i] = new SimpleRecord(clock.millis(), null, new byte[10]);
        }
        ByteBuffer bytes = (producerId < 0
                        ? MemoryRecords.withRecords(Compression.NONE, values)
                        : MemoryRecords.withIdempotentRecords(Compression.NONE, producerId, epoch, sequence, values))
                .buffer();
        return IncomingBatch.read(
                Unpooled.wrappedBuffer(bytes),
                SETTINGS,
                log,
                UnpooledByteBufAllocator.DEFAULT,
                Limits.DEFAULT,
                clock.millis());
    }

    private void send(IncomingBatch batch) {
        queue.append(batch, NO_ROLL);
    }

    private CompletableFuture<AppendOutcome> append(IncomingBatch batch) {
        return queue.append(batch, NO_ROLL).toCompletableFuture();
    }

    private static LogState state(@Nullable StreamEntryId last, long segment, long bytes) {
        Segment open =
                new Segment(segment, SegmentState.OPEN, null, last, -1, -1, null, last == null ? 0 : 1, bytes, 0, null);
        return new LogState("id-1", 0, last, open, List.of(), 0, bytes);
    }

    private void ready(CompletableFuture<AppendOutcome> asked) {
        assertThat(asked).isNotDone();
        ready();
    }

    private void ready() {
        log.stateCalls.remove().complete(state(null, 0, 0));
    }

    private static StreamEntryId id(long offset) {
        return new DenseEncoding().idOf(offset);
    }

    private static AppendResult.Stale stale(LogState state, Map<String, String> writers) {
        return new AppendResult.Stale(state, writers);
    }

    private List<Integer> counts() {
        return log.calls.stream().map(call -> call.batch().entries().count()).toList();
    }

    private CompletableFuture<AppendOutcome> appendCopied(IncomingBatch batch) {
        return queue.append(batch, NO_ROLL, 1).toCompletableFuture();
    }

    private static AppendResult.Uncopied uncopied(long last) {
        return new AppendResult.Uncopied(
                new AppendResult.Appended(new StreamEntryId(1, last), null, 0, 0, last + 1, 0), 0);
    }

    @Test
    void aProducerIsToldThatReplicasAreTooFewAndTheNextOneIsRefusedBeforeItsRecordsAreWritten() {
        CompletableFuture<AppendOutcome> first = appendCopied(batch(1));
        ready(first);
        log.calls.remove().answer(uncopied(0));
        assertThat(first.join().error()).isEqualTo(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
        assertThat(appendCopied(batch(1)).join().error()).isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
        assertThat(log.calls).isEmpty();
        CompletableFuture<AppendOutcome> written = append(batch(1));
        log.calls.remove().appended();
        assertThat(written.join().error()).isEqualTo(Errors.NONE);
        assertThat(log.replicas).containsExactly(1, 0);
    }

    @Test
    void appendsThatWaitForReplicasAndSuchThatDoNotAreNeverUnderWayTogether() {
        CompletableFuture<AppendOutcome> copied = appendCopied(batch(1));
        ready(copied);
        CompletableFuture<AppendOutcome> written = append(batch(1));
        assertThat(log.replicas).containsExactly(1);
        log.calls.remove().appended();
        assertThat(copied.join().error()).isEqualTo(Errors.NONE);
        log.calls.remove().appended();
        assertThat(written.join().baseOffset()).isEqualTo(1);
        assertThat(log.replicas).containsExactly(1, 0);
    }

    @Test
    void aRepeatedBatchWaitsForItsCopiesAgain() {
        CompletableFuture<AppendOutcome> first = appendCopied(batch(1, 7, (short) 0, 0));
        ready(first);
        log.calls.remove().appended();
        assertThat(first.join().baseOffset()).isZero();

        CompletableFuture<AppendOutcome> again = appendCopied(batch(1, 7, (short) 0, 0));
        assertThat(again).isNotDone();
        log.copyCalls.remove().complete(new CopiedState("0 1 0-0@0", 1));
        assertThat(again.join().error()).isEqualTo(Errors.NONE);
        assertThat(again.join().baseOffset()).isZero();

        CompletableFuture<AppendOutcome> oncemore = appendCopied(batch(1, 7, (short) 0, 0));
        log.copyCalls.remove().complete(new CopiedState("0 1 0-0@0", 0));
        assertThat(oncemore.join().error()).isEqualTo(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
    }

    /** The first three batches of producer 7, with copies, of one record each. */
    private void threeBatchesWithCopies() {
        CompletableFuture<AppendOutcome> first = appendCopied(batch(1, 7, (short) 0, 0));
        ready(first);
        log.calls.remove().appended();
        for (int sequence = 1; sequence < 3; sequence++) {
            queue.append(batch(1, 7, (short) 0, sequence), NO_ROLL, 1);
            log.calls.remove().appended();
        }
    }

    @Test
    void repeatedBatchesThatAFailOverTookBackAreAppendedAgainInOrder() {
        threeBatchesWithCopies();
        CompletableFuture<AppendOutcome> second = appendCopied(batch(1, 7, (short) 0, 1));
        CompletableFuture<AppendOutcome> third = appendCopied(batch(1, 7, (short) 0, 2));
        CompletableFuture<AppendOutcome> other = append(batch(1));
        assertThat(log.calls).as("nothing goes out while the store is asked").isEmpty();
        assertThat(log.copyCalls).hasSize(1);
        log.copyCalls.remove().complete(new CopiedState("0 1 0-0@0", 1));

        log.stateCalls.remove().complete(state(id(0), 0, 10));
        log.calls.remove().answer(stale(state(id(0), 0, 10), Map.of("7", "0 1 0-0@0")));
        log.calls.remove().appended();
        log.calls.remove().appended();
        assertThat(second.join().baseOffset()).isEqualTo(1);
        assertThat(third.join().baseOffset()).isEqualTo(2);
        assertThat(other.join().baseOffset()).isEqualTo(3);
        assertThat(log.copyCalls).isEmpty();
    }

    @Test
    void aRepeatedBatchThatIsThereLetsOthersGoOnAndTooFewCopiesRefuseThem() {
        threeBatchesWithCopies();
        String stored = "0 1 0-0@0,1-1@1,2-2@2";
        CompletableFuture<AppendOutcome> repeated = appendCopied(batch(1, 7, (short) 0, 2));
        CompletableFuture<AppendOutcome> next = appendCopied(batch(1, 7, (short) 0, 3));
        assertThat(log.calls).isEmpty();
        log.copyCalls.remove().complete(new CopiedState(stored, 1));
        assertThat(repeated.join().baseOffset()).isEqualTo(2);
        log.calls.remove().appended();
        assertThat(next.join().baseOffset()).isEqualTo(3);

        CompletableFuture<AppendOutcome> unsafe = appendCopied(batch(1, 7, (short) 0, 2));
        CompletableFuture<AppendOutcome> refused = appendCopied(batch(1, 7, (short) 0, 4));
        CompletableFuture<AppendOutcome> written = append(batch(1));
        log.copyCalls.remove().complete(new CopiedState(stored, 0));
        assertThat(unsafe.join().error()).isEqualTo(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
        assertThat(refused.join().error()).isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
        log.calls.remove().appended();
        assertThat(written.join().baseOffset()).isEqualTo(4);
    }

    @Test
    void aRepeatedBatchThatCannotBeLookedAtIsToBeTriedAgainAndOthersGoOn() {
        threeBatchesWithCopies();
        CompletableFuture<AppendOutcome> repeated = appendCopied(batch(1, 7, (short) 0, 2));
        CompletableFuture<AppendOutcome> next = appendCopied(batch(1, 7, (short) 0, 3));
        log.copyCalls
                .remove()
                .completeExceptionally(new StoreException(StoreException.Kind.OUTCOME_UNKNOWN, "connection lost"));
        assertThat(repeated.join().error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        log.calls.remove().appended();
        assertThat(next.join().baseOffset()).isEqualTo(3);
    }

    @Test
    void aRepeatedBatchIsJudgedAnewWhenTheBeliefIsThrownAwayMeanwhile() {
        threeBatchesWithCopies();
        CompletableFuture<AppendOutcome> repeated = appendCopied(batch(1, 7, (short) 0, 2));
        queue.forget();
        log.copyCalls.remove().complete(new CopiedState("0 1 0-0@0,1-1@1", 1));
        log.stateCalls.remove().complete(state(id(1), 0, 10));
        log.calls.remove().answer(stale(state(id(1), 0, 10), Map.of("7", "0 1 0-0@0,1-1@1")));
        log.calls.remove().appended();
        assertThat(repeated.join().baseOffset()).isEqualTo(2);
    }

    @Test
    void aBatchBehindOneThatFailedIsEarlyAndNotOutOfOrder() {
        producerMovedAwayAndCameBack();
        CompletableFuture<AppendOutcome> failed = append(batch(2, 77, (short) 0, 3));
        log.calls.remove().fail(new StoreException(StoreException.Kind.UNAVAILABLE, "no connection"));
        assertThat(failed.join().error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        CompletableFuture<AppendOutcome> early = append(batch(1, 77, (short) 0, 5));
        log.stateCalls.remove().complete(state(id(2), 0, 10));
        log.writerCalls.remove().complete("0 1 0-2@0");
        assertThat(early.join().error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        assertThat(early.join().message()).contains("sequence 5: the batch at sequence 3 failed");

        CompletableFuture<AppendOutcome> again = append(batch(2, 77, (short) 0, 3));
        // Sent before the answer to the early one came.
        CompletableFuture<AppendOutcome> earlyToo = append(batch(1, 77, (short) 0, 6));
        log.calls.remove().appended();
        log.writerCalls.remove().complete("0 1 0-2@0,3-4@3");
        assertThat(again.join().baseOffset()).isEqualTo(3);
        assertThat(earlyToo.join().message()).contains("sequence 6: the batch at sequence 5 failed");
        CompletableFuture<AppendOutcome> last = append(batch(1, 77, (short) 0, 5));
        log.calls.remove().appended();
        assertThat(last.join().baseOffset()).isEqualTo(5);
    }

    @Test
    void aBatchBehindOneThatWasRefusedForWantOfReplicasIsEarly() {
        producerMovedAwayAndCameBack();
        CompletableFuture<AppendOutcome> uncopied = appendCopied(batch(1));
        log.calls.remove().answer(uncopied(3));
        assertThat(uncopied.join().error()).isEqualTo(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
        assertThat(appendCopied(batch(1, 77, (short) 0, 3)).join().error()).isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
        CompletableFuture<AppendOutcome> early = append(batch(1, 77, (short) 0, 4));
        log.writerCalls.remove().complete("0 1 0-2@0");
        assertThat(early.join().error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    }

    @Test
    void aBatchBehindOneWithoutCopiesThatAFailOverTookBackIsEarly() {
        producerMovedAwayAndCameBack();
        CompletableFuture<AppendOutcome> uncopied = appendCopied(batch(1, 77, (short) 0, 3));
        log.calls.remove().answer(uncopied(3));
        assertThat(uncopied.join().error()).isEqualTo(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
        queue.forget();
        CompletableFuture<AppendOutcome> early = append(batch(1, 77, (short) 0, 4));
        log.stateCalls.remove().complete(state(id(2), 0, 10));
        log.writerCalls.remove().complete("0 1 0-2@0");
        assertThat(early.join().error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    }

    @Test
    void aBatchThatNeverComesAgainExcusesLaterOnesForAWhileOnly() {
        producerMovedAwayAndCameBack();
        send(batch(1, 77, (short) 0, 3));
        log.calls.remove().fail(new StoreException(StoreException.Kind.UNAVAILABLE, "no connection"));
        List<Errors> told = new ArrayList<>();
        for (int i = 0; i < 21; i++) {
            CompletableFuture<AppendOutcome> early = append(batch(1, 77, (short) 0, 4));
            if (i == 0) {
                log.stateCalls.remove().complete(state(id(2), 0, 10));
            }
            log.writerCalls.remove().complete("0 1 0-2@0");
            told.add(early.join().error());
        }
        assertThat(told.subList(0, 20)).containsOnly(Errors.KAFKA_STORAGE_ERROR);
        assertThat(told.get(20)).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
    }

    @Test
    void asksForTheStateOnceAndGathersWhatWaitsMeanwhile() {
        CompletableFuture<AppendOutcome> first = append(batch(3));
        CompletableFuture<AppendOutcome> second = append(batch(2));
        assertThat(log.calls).isEmpty();
        ready();

        assertThat(counts()).containsExactly(5);
        assertThat(log.calls.element().batch().first()).isEqualTo(id(0));
        assertThat(log.calls.element().batch().expectedLast()).isNull();
        log.calls.remove().appended();
        assertThat(first).isCompletedWithValueMatching(outcome -> outcome.baseOffset() == 0);
        assertThat(second).isCompletedWithValueMatching(outcome -> outcome.baseOffset() == 3);
        assertThat(events).containsExactly("state", "appended 0 after -1", "appended 3 after 2", "wake");
    }

    @Test
    void keepsTwoCallsUnderWayAndGathersTheRestInOrder() {
        ready(append(batch(1)));
        List<CompletableFuture<AppendOutcome>> answers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            answers.add(append(batch(1)));
        }

        assertThat(counts()).containsExactly(1, 1);
        assertThat(log.calls).extracting(call -> call.batch().expectedLast()).containsExactly(null, id(0));
        log.calls.remove().appended();
        assertThat(counts()).containsExactly(1, 19);
        log.calls.remove().appended();
        log.calls.remove().appended();
        assertThat(answers)
                .extracting(answer -> answer.join().baseOffset())
                .containsExactlyElementsOf(
                        java.util.stream.LongStream.rangeClosed(1, 20).boxed().toList());
    }

    @Test
    void aGatheredCallHasItsBoundsAndTheTotalsOfItsBatches() {
        ready(append(batch(1)));
        send(batch(1));
        send(batch(1_500));
        send(batch(400));
        send(batch(400));

        log.calls.remove().appended();
        log.calls.remove().appended();
        assertThat(counts()).containsExactly(1_900, 400);
        assertThat(log.calls.element().batch().entries().buffer().readableBytes())
                .isEqualTo((int) log.calls.element().batch().entries().bytes());
        log.calls.remove().appended();
        log.calls.remove().appended();
    }

    @Test
    void whatIsRefusedIsProposedAgainInOrderOnTheTrueState() {
        ready(append(batch(1)));
        send(batch(2));
        send(batch(3));
        LogState truth = state(id(41), 5, 1000);
        log.calls.remove().answer(stale(truth, Map.of()));
        send(batch(4));
        assertThat(log.calls).as("nothing is proposed while answers are due").hasSize(1);
        log.calls.remove().answer(stale(truth, Map.of()));

        assertThat(counts()).containsExactly(10);
        assertThat(log.calls.element().batch().first()).isEqualTo(id(42));
        assertThat(log.calls.element().batch().segment()).isEqualTo(5);
        log.calls.remove().appended();
        assertThat(events)
                .endsWith(
                        "appended 42 after 41",
                        "appended 43 after 42",
                        "appended 45 after 44",
                        "appended 48 after 47",
                        "wake");
    }

    @Test
    void aLostAnswerFailsRetriablyAndTheStateIsReadAnewOnceAllAnswersAreIn() {
        CompletableFuture<AppendOutcome> first = append(batch(1));
        ready(first);
        CompletableFuture<AppendOutcome> second = append(batch(1));
        log.calls.remove().fail(new StoreException(StoreException.Kind.OUTCOME_UNKNOWN, "connection lost"));
        assertThat(first).isCompletedWithValueMatching(outcome -> outcome.error() == Errors.KAFKA_STORAGE_ERROR);
        assertThat(log.stateCalls).isEmpty();
        log.calls.remove().answer(stale(state(id(0), 0, 10), Map.of()));

        assertThat(second).isNotDone();
        log.stateCalls.remove().complete(state(id(0), 0, 10));
        assertThat(log.calls.element().batch().first()).isEqualTo(id(1));
        log.calls.remove().appended();
        assertThat(second).isCompletedWithValueMatching(outcome -> outcome.baseOffset() == 1);
    }

    @Test
    void whenTheStateCannotBeReadAllWhoWaitAreToldToTryAgainAndTheNextOneAsksAgain() {
        CompletableFuture<AppendOutcome> first = append(batch(1));
        log.stateCalls
                .remove()
                .completeExceptionally(new StoreException(StoreException.Kind.UNAVAILABLE, "no connection"));
        assertThat(first).isCompletedWithValueMatching(outcome -> outcome.error() == Errors.KAFKA_STORAGE_ERROR);

        CompletableFuture<AppendOutcome> second = append(batch(1));
        ready();
        log.calls.remove().appended();
        assertThat(second).isCompletedWithValueMatching(outcome -> outcome.error() == Errors.NONE);
    }

    @Test
    void aProducersStateIsComparedAndSetWithEachCall() {
        ready(append(batch(3, 77, (short) 0, 0)));
        send(batch(2, 77, (short) 0, 3));

        WriterUpdate first = log.calls.remove().batch().writers().get(0);
        WriterUpdate second = log.calls.remove().batch().writers().get(0);
        assertThat(first.writer()).isEqualTo("77");
        assertThat(first.expected()).isEmpty();
        assertThat(second.expected()).isEqualTo(first.next());
        assertThat(second.next()).endsWith("0-2@0,3-4@3");
    }

    @Test
    void gatheredBatchesOfOneProducerAreOneStepOfItsState() {
        send(batch(3, 77, (short) 0, 0));
        send(batch(1, 78, (short) 0, 0));
        send(batch(2, 77, (short) 0, 3));
        ready();

        List<WriterUpdate> writers = log.calls.remove().batch().writers();
        assertThat(writers).extracting(WriterUpdate::writer).containsExactly("77", "78");
        assertThat(writers.get(0).expected()).isEmpty();
        assertThat(writers.get(0).next()).endsWith("0-2@0,3-4@4");
    }

    @Test
    void aBatchSentTwiceIsAnsweredWithItsFirstOffset() {
        CompletableFuture<AppendOutcome> first = append(batch(3, 77, (short) 0, 0));
        CompletableFuture<AppendOutcome> whileUnderWay = append(batch(3, 77, (short) 0, 0));
        ready();
        assertThat(log.calls).hasSize(1);
        assertThat(whileUnderWay).isNotDone();
        log.calls.remove().appended();
        assertThat(whileUnderWay.join()).isEqualTo(first.join());

        CompletableFuture<AppendOutcome> later = append(batch(3, 77, (short) 0, 0));
        assertThat(later.join().error()).isEqualTo(Errors.NONE);
        assertThat(later.join().baseOffset()).isZero();
        assertThat(log.calls).isEmpty();
    }

    @Test
    void aDuplicateThatOnlyTheStoreKnowsIsFoundThroughTheRefusal() {
        CompletableFuture<AppendOutcome> answer = append(batch(3, 77, (short) 0, 3));
        ready();
        String stored = "0 1764000000000 0-2@10,3-5@13";
        log.calls.remove().answer(stale(state(id(15), 0, 10), Map.of("77", stored)));

        assertThat(answer.join().error()).isEqualTo(Errors.NONE);
        assertThat(answer.join().baseOffset()).isEqualTo(13);
    }

    @Test
    void aGapIsOutOfOrderAndDoesNotStopOthers() {
        send(batch(3, 77, (short) 0, 0));
        CompletableFuture<AppendOutcome> gap = append(batch(3, 77, (short) 0, 9));
        CompletableFuture<AppendOutcome> other = append(batch(1));
        ready();

        assertThat(log.writerCalls).as("asked while an append is under way").isEmpty();
        log.calls.remove().appended();
        log.writerCalls.remove().complete("0 1764000000000 0-2@0");
        assertThat(gap.join().error()).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        log.calls.remove().appended();
        assertThat(other.join().baseOffset()).isEqualTo(3);
    }

    /** Producer 77's first batch is appended here, its second elsewhere. */
    private void producerMovedAwayAndCameBack() {
        ready(append(batch(3, 77, (short) 0, 0)));
        log.calls.remove().appended();
    }

    @Test
    void aGapInAnOldBeliefIsNoGapWhenTheStoreKnowsWhatLiesBetween() {
        producerMovedAwayAndCameBack();
        CompletableFuture<AppendOutcome> answer = append(batch(1, 77, (short) 0, 5));
        CompletableFuture<AppendOutcome> next = append(batch(1, 77, (short) 0, 6));
        log.writerCalls.remove().complete("0 1764000000001 0-2@0,3-4@3");

        LogState truth = state(id(4), 0, 10);
        log.calls.remove().answer(stale(truth, Map.of("77", "0 1764000000001 0-2@0,3-4@3")));
        log.calls.remove().appended();
        assertThat(answer.join().baseOffset()).isEqualTo(5);
        assertThat(next.join().baseOffset()).isEqualTo(6);
        assertThat(log.writerCalls).isEmpty();
    }

    @Test
    void anErrorThatCannotBeVerifiedIsOneToTryAgainAndOthersGoOn() {
        producerMovedAwayAndCameBack();
        CompletableFuture<AppendOutcome> answer = append(batch(1, 77, (short) 0, 5));
        CompletableFuture<AppendOutcome> other = append(batch(1));
        log.writerCalls
                .remove()
                .completeExceptionally(new StoreException(StoreException.Kind.UNAVAILABLE, "no connection"));

        assertThat(answer.join().error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        log.calls.remove().appended();
        assertThat(other.join().baseOffset()).isEqualTo(3);
    }

    @Test
    void aBatchWhoseErrorIsBeingVerifiedIsJudgedAnewWhenTheBeliefIsThrownAway() {
        producerMovedAwayAndCameBack();
        CompletableFuture<AppendOutcome> answer = append(batch(1, 77, (short) 0, 5));
        queue.forget();
        log.writerCalls.remove().complete("0 1764000000000 0-2@0");

        assertThat(answer).isNotDone();
        log.stateCalls.remove().complete(state(id(4), 0, 10));
        log.calls.remove().answer(stale(state(id(4), 0, 10), Map.of("77", "0 1764000000001 0-2@0,3-4@3")));
        log.calls.remove().appended();
        assertThat(answer.join().baseOffset()).isEqualTo(5);
    }

    @Test
    void whatIsRefusedBeforeADoubtedBatchIsProposedAgainBeforeIt() {
        producerMovedAwayAndCameBack();
        CompletableFuture<AppendOutcome> first = append(batch(2, 77, (short) 0, 3));
        CompletableFuture<AppendOutcome> doubted = append(batch(1, 77, (short) 0, 9));
        LogState truth = state(id(8), 0, 10);
        log.calls.remove().answer(stale(truth, Map.of("77", "0 1764000000001 3-4@3,5-8@5")));

        assertThat(first.join().baseOffset()).isEqualTo(3);
        log.calls.remove().appended();
        assertThat(doubted.join().baseOffset()).isEqualTo(9);
    }

    @Test
    void aFirstBatchThatFailedHereAndCameElsewhereStopsNoLaterOne() {
        CompletableFuture<AppendOutcome> first = append(batch(1, 77, (short) 0, 0));
        ready(first);
        log.calls.remove().fail(new StoreException(StoreException.Kind.OUTCOME_UNKNOWN, "connection lost"));
        CompletableFuture<AppendOutcome> later = append(batch(1, 77, (short) 0, 1));
        log.stateCalls.remove().complete(state(id(0), 0, 10));

        log.writerCalls.remove().complete("0 1764000000001 0-0@0");
        log.calls.remove().appended();
        assertThat(later.join().baseOffset()).isEqualTo(1);
    }

    @Test
    void aFullSegmentIsSealedFirst() {
        queue.append(batch(10), 100);
        queue.append(batch(10), 100);
        ready();

        assertThat(log.calls).extracting(call -> call.batch().roll()).containsExactly(Roll.STAY, Roll.SEAL_FIRST);
        assertThat(log.calls).extracting(call -> call.batch().segment()).containsExactly(0L, 0L);
        log.calls.remove().appended();
        queue.append(batch(1), 10_000);
        assertThat(log.calls.getLast().batch().segment()).isEqualTo(1);
    }

    @Test
    void aFencedLogTellsAllProducersThatTheTopicIsGone() {
        CompletableFuture<AppendOutcome> answer = append(batch(1));
        ready();
        log.calls.remove().answer(new AppendResult.Fenced());

        assertThat(answer.join().error()).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(events).contains("fenced");
    }

    @Test
    void timeEncodedOffsetsFollowTheClockAndNeverStepBack() {
        AppendQueue timed = new AppendQueue(
                new StreamName("orders:1"),
                "id-1",
                new TimeEncoding(10),
                log,
                UnpooledByteBufAllocator.DEFAULT,
                clock,
                new AppendFailures(clock),
                new AppendListener() {
                    @Override
                    public void appended(IncomingBatch b, long p, long o, long s, boolean c) {}

                    @Override
                    public void copiesMissing() {}

                    @Override
                    public void stateRead(LogState state) {}

                    @Override
                    public void fenced() {}

                    @Override
                    public void wake() {}
                });
        timed.append(batch(5), NO_ROLL);
        log.stateCalls.remove().complete(state(new StreamEntryId(clock.millis() + 60_000, 7), 0, 10));

        assertThat(log.calls.element().batch().first()).isEqualTo(new StreamEntryId(clock.millis() + 60_000, 8));
    }

    @Test
    void anEntryThatFitsNoDenseOffsetFailsAppendsInsteadOfHoldingThem() {
        CompletableFuture<AppendOutcome> answer = append(batch(1));
        log.stateCalls.remove().complete(state(new StreamEntryId(1_764_000_000_000L, 0), 0, 10));

        assertThat(answer.join().error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        assertThat(answer.join().message()).contains("1764000000000-0", "another Redis client");
        assertThat(append(batch(1))).isNotDone();
        log.stateCalls.remove().complete(state(id(4), 0, 10));
        assertThat(log.calls.element().batch().first()).isEqualTo(id(5));
    }

    @Test
    void anUnreadableProducerStateFailsTheBatchInsteadOfHoldingIt() {
        CompletableFuture<AppendOutcome> answer = append(batch(1, 77, (short) 0, 0));
        CompletableFuture<AppendOutcome> other = append(batch(1));
        ready();
        log.calls.remove().answer(stale(state(id(4), 0, 10), Map.of("77", "scribble")));

        assertThat(answer.join().error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        assertThat(other).isDone();
        assertThat(append(batch(1))).isNotDone();
        log.stateCalls.remove().complete(state(id(4), 0, 10));
        log.calls.remove().appended();
    }

    @Test
    void aNewProducersSecondBatchDoesNotOvertakeItsFirstThatFailed() {
        CompletableFuture<AppendOutcome> first = append(batch(1, 77, (short) 0, 0));
        ready(first);
        CompletableFuture<AppendOutcome> second = append(batch(1, 77, (short) 0, 1));
        log.calls.remove().fail(new StoreException(StoreException.Kind.UNAVAILABLE, "no connection"));
        log.calls.remove().answer(stale(state(null, 0, 0), Map.of("77", "")));
        log.stateCalls.remove().complete(state(null, 0, 0));
        log.writerCalls.remove().complete(null);

        assertThat(first.join().error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        assertThat(second.join().error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        CompletableFuture<AppendOutcome> again = append(batch(1, 77, (short) 0, 0));
        CompletableFuture<AppendOutcome> secondAgain = append(batch(1, 77, (short) 0, 1));
        log.calls.remove().appended();
        log.calls.remove().appended();
        assertThat(again.join().baseOffset()).isZero();
        assertThat(secondAgain.join().baseOffset()).isEqualTo(1);
    }

    @Test
    void aProducerThatGaveUpItsFailedBatchGoesOnWithANewEpoch() {
        CompletableFuture<AppendOutcome> first = append(batch(1, 77, (short) 0, 0));
        log.stateCalls
                .remove()
                .completeExceptionally(new StoreException(StoreException.Kind.UNAVAILABLE, "no connection"));
        assertThat(first.join().error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);

        CompletableFuture<AppendOutcome> later = append(batch(1, 77, (short) 1, 0));
        ready();
        log.calls.remove().appended();
        assertThat(later.join().error()).isEqualTo(Errors.NONE);
    }

    @Test
    void aBatchThatIsNotItsProducersFirstIsTakenAsFirstOnlyWhenItComesAgain() {
        CompletableFuture<AppendOutcome> overtaking = append(batch(1, 77, (short) 0, 5));
        ready();
        log.calls.remove().answer(stale(state(null, 0, 0), Map.of("77", "")));
        assertThat(overtaking.join().error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);

        CompletableFuture<AppendOutcome> another = append(batch(1, 77, (short) 0, 6));
        assertThat(another.join().error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        CompletableFuture<AppendOutcome> again = append(batch(1, 77, (short) 0, 5));
        assertThat(log.calls.element().batch().writers().get(0).expected()).isEmpty();
        log.calls.remove().appended();
        assertThat(again.join().error()).isEqualTo(Errors.NONE);
    }

    @Test
    void aProducersFirstBatchGoesBeforeTheOneThatOvertookIt() {
        CompletableFuture<AppendOutcome> overtaking = append(batch(1, 77, (short) 0, 1));
        ready();
        log.calls.remove().answer(stale(state(null, 0, 0), Map.of("77", "")));
        CompletableFuture<AppendOutcome> first = append(batch(1, 77, (short) 0, 0));
        CompletableFuture<AppendOutcome> again = append(batch(1, 77, (short) 0, 1));
        log.calls.remove().appended();
        log.calls.remove().appended();

        assertThat(overtaking.join().error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        assertThat(first.join().baseOffset()).isZero();
        assertThat(again.join().baseOffset()).isEqualTo(1);
    }

    @Test
    void aBatchIsNotTakenForAnotherThatWasProposedAtTheOffsetWhereItIs() {
        producerMovedAwayAndCameBack();
        CompletableFuture<AppendOutcome> later = append(batch(1, 77, (short) 0, 5));
        log.writerCalls.remove().complete("0 1764000000001 0-2@0,3-4@3");
        // Under way at offset 3, by the belief of the log's end, where the batch of sequence 3 is.
        CompletableFuture<AppendOutcome> repeated = append(batch(2, 77, (short) 0, 3));

        assertThat(repeated.join().baseOffset()).isEqualTo(3);
        assertThat(later).isNotDone();
        log.calls.remove().answer(stale(state(id(4), 0, 10), Map.of("77", "0 1764000000001 0-2@0,3-4@3")));
        log.calls.remove().appended();
        assertThat(later.join().baseOffset()).isEqualTo(5);
    }

    @Test
    void anEarlierBatchIsNotHeldBackByALaterOneThatFailed() {
        CompletableFuture<AppendOutcome> later = append(batch(1, 77, (short) 0, 1));
        ready();
        log.calls.remove().fail(new StoreException(StoreException.Kind.OUTCOME_UNKNOWN, "connection lost"));
        CompletableFuture<AppendOutcome> first = append(batch(1, 77, (short) 0, 0));
        ready();
        log.calls.remove().appended();

        assertThat(later.join().error()).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        assertThat(first.join().error()).isEqualTo(Errors.NONE);
        assertThat(log.writerCalls).isEmpty();
    }
}
