package io.korvet.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.DenseEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.server.topics.TopicSettings;
import io.korvet.store.EntryLog.Confirmation;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.store.StoreException;
import io.korvet.store.StreamName;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Up to where consumers see a log of which replicas are to have a copy. */
class CopiedEndTest {

    private final ManualEntryLog entries = new ManualEntryLog();
    private final AtomicInteger moves = new AtomicInteger();
    private final CopiedEnd copied = copied(2);

    private CopiedEnd copied(int minInsyncReplicas) {
        InstantSource clock = InstantSource.fixed(Instant.EPOCH);
        LogContext context = new LogContext(
                entries,
                new TailCache(1),
                new ReadTurns(1),
                new ReadTurns(1),
                UnpooledByteBufAllocator.DEFAULT,
                clock,
                Limits.DEFAULT,
                LogObserver.NONE,
                new AppendFailures(clock));
        TopicSettings settings = TestSettings.dense(minInsyncReplicas);
        return new CopiedEnd(
                new StreamName("orders:0"),
                "first",
                new DenseEncoding(),
                () -> settings,
                context,
                () -> 3,
                moves::incrementAndGet);
    }

    private static @Nullable StreamEntryId last(long end) {
        return end == 0 ? null : new DenseEncoding().idOf(end - 1);
    }

    private void answer(long noted, long end, long copies) {
        entries.confirmations.remove().complete(new Confirmation(noted, last(end), copies));
    }

    private static LogView log(long end) {
        Segment open = new Segment(3, SegmentState.OPEN, null, null, -1, -1, null, 0, 0, 0, null);
        return LogView.of(new LogState("first", 0, last(end), open, List.of(), 0, 0), new DenseEncoding());
    }

    private long visible(long end) {
        LogView limited = copied.limit(log(end));
        assertThat(limited.logEndOffset()).isEqualTo(end);
        return limited.endOffset();
    }

    @Test
    void whereOneCopyIsEnoughAllIsSeenAndNothingIsAsked() {
        CopiedEnd one = copied(1);
        assertThat(one.limit(log(7)).endOffset()).isEqualTo(7);
        assertThat(one.upTo(7)).isCompleted();
        one.ask();
        assertThat(one.shows(100)).isTrue();
        assertThat(entries.confirmations).isEmpty();
    }

    @Test
    void whatReplicasHaveIsSeen() {
        assertThat(visible(7)).isZero();
        copied.learn(5);
        assertThat(visible(7)).isEqualTo(5);
        assertThat(copied.shows(4)).isTrue();
        assertThat(copied.shows(5)).isFalse();

        CompletableFuture<Void> asked = copied.upTo(7).toCompletableFuture();
        assertThat(asked).isNotDone();
        answer(5, 8, 1);
        assertThat(asked).isCompleted();
        assertThat(moves).hasValue(1);
        assertThat(visible(9)).isEqualTo(8);
        assertThat(copied.upTo(8)).isCompleted();
    }

    @Test
    void whereReplicasAreMissingTheNoteInTheStoreCountsAndNothingIsAskedForASecond() {
        copied.ask();
        answer(4, 8, 0);
        assertThat(visible(8)).isEqualTo(4);
        assertThat(copied.upTo(8)).isCompleted();
        assertThat(entries.confirmations).isEmpty();
    }

    @Test
    void aFailedQuestionChangesNothing() {
        copied.learn(5);
        CompletableFuture<Void> asked = copied.upTo(7).toCompletableFuture();
        entries.confirmations
                .remove()
                .completeExceptionally(new StoreException(StoreException.Kind.UNAVAILABLE, "no connection"));
        assertThat(asked).isCompleted();
        assertThat(visible(7)).isEqualTo(5);
    }

    @Test
    void aQuestionUnderWayMayBeOlderThanWhatTheCallerSawSoAnotherFollowsIt() {
        copied.ask();
        CompletableFuture<Void> asked = copied.upTo(7).toCompletableFuture();
        answer(0, 5, 1);
        assertThat(asked).isNotDone();
        answer(5, 7, 1);
        assertThat(asked).isCompleted();
        assertThat(visible(7)).isEqualTo(7);
        assertThat(entries.confirmations).isEmpty();
    }

    @Test
    void anAnswerAboutALogThatLostItsEndMeanwhileIsVoid() {
        copied.learn(6);
        copied.ask();
        copied.cut(4);
        answer(6, 9, 1);
        assertThat(visible(9)).isEqualTo(4);
        copied.forget();
        assertThat(visible(9)).isZero();
    }

    @Test
    void theEndIsNotedAtMostOnceASecond() {
        copied.note();
        answer(0, 3, 1);
        copied.note();
        assertThat(entries.confirmations).isEmpty();
    }
}
