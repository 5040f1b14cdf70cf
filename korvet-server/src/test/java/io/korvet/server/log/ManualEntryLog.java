package io.korvet.server.log;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.AppendBatch;
import io.korvet.store.AppendBatch.EncodedEntries;
import io.korvet.store.AppendResult;
import io.korvet.store.EntryEncoder;
import io.korvet.store.EntryLog;
import io.korvet.store.EntrySink;
import io.korvet.store.LogState;
import io.korvet.store.StreamName;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** An entry log that answers when, and what, a test says. Not thread-safe. */
final class ManualEntryLog implements EntryLog {

    /** One append as it came in, waiting for its answer. */
    record Call(AppendBatch batch, CompletableFuture<AppendResult> answer) {

        void answer(AppendResult result) {
            batch.entries().buffer().release();
            answer.complete(result);
        }

        void fail(RuntimeException failure) {
            batch.entries().buffer().release();
            answer.completeExceptionally(failure);
        }

        /** Says that the batch was written, as the script would. */
        void appended() {
            int count = batch.entries().count();
            StreamEntryId first = batch.first();
            StreamEntryId last = new StreamEntryId(first.milliseconds(), first.sequence() + count - 1);
            answer(new AppendResult.Appended(last, batch.expectedLast(), 0, batch.segment(), count, 0));
        }
    }

    final Deque<Call> calls = new ArrayDeque<>();
    private final List<Call> all = new ArrayList<>();
    final Deque<CompletableFuture<@Nullable LogState>> stateCalls = new ArrayDeque<>();
    final Deque<CompletableFuture<@Nullable String>> writerCalls = new ArrayDeque<>();
    final List<Integer> replicas = new ArrayList<>();
    final Deque<CompletableFuture<CopiedState>> copyCalls = new ArrayDeque<>();
    final Deque<CompletableFuture<@Nullable Confirmation>> confirmations = new ArrayDeque<>();

    /** Answers everything still open by saying that the log is gone. */
    void end() {
        for (int i = 0; i < all.size(); i++) {
            if (!all.get(i).answer.isDone()) {
                all.get(i).answer(new AppendResult.Fenced());
            }
            while (!stateCalls.isEmpty()) {
                stateCalls.remove().complete(null);
            }
            while (!writerCalls.isEmpty()) {
                writerCalls.remove().complete(null);
            }
        }
    }

    @Override
    public CompletionStage<AppendResult> append(AppendBatch batch) {
        return append(batch, 0);
    }

    @Override
    public CompletionStage<AppendResult> append(AppendBatch batch, int wanted) {
        replicas.add(wanted);
        Call call = new Call(batch, new CompletableFuture<>());
        calls.add(call);
        all.add(call);
        return call.answer;
    }

    @Override
    public CompletionStage<@Nullable LogState> state(StreamName stream) {
        CompletableFuture<@Nullable LogState> answer = new CompletableFuture<>();
        stateCalls.add(answer);
        return answer;
    }

    @Override
    public EntryEncoder encoder(int expectedEntries, int expectedBytes) {
        return new CountingEncoder();
    }

    @Override
    public CompletionStage<Void> create(StreamName stream, String incarnation) {
        throw new AssertionError("not expected");
    }

    @Override
    public CompletionStage<Void> delete(StreamName stream, String incarnation) {
        throw new AssertionError("not expected");
    }

    @Override
    public CompletionStage<@Nullable String> writerState(StreamName stream, String writer) {
        CompletableFuture<@Nullable String> answer = new CompletableFuture<>();
        writerCalls.add(answer);
        return answer;
    }

    @Override
    public CompletionStage<CopiedState> copiedWriterState(StreamName stream, String writer, int wanted) {
        CompletableFuture<CopiedState> answer = new CompletableFuture<>();
        copyCalls.add(answer);
        return answer;
    }

    @Override
    public CompletionStage<@Nullable Confirmation> confirmCopies(
            StreamName stream, String incarnation, long copiedEnd, long openSegment, int wanted) {
        CompletableFuture<@Nullable Confirmation> answer = new CompletableFuture<>();
        confirmations.add(answer);
        return answer;
    }

    @Override
    public CompletionStage<Integer> read(
            StreamName stream, long segment, StreamEntryId from, int count, EntrySink sink) {
        throw new AssertionError("not expected");
    }

    @Override
    public CompletionStage<StreamEntryId> seekTimestamp(StreamName stream, long segment, long timestamp) {
        throw new AssertionError("not expected");
    }

    @Override
    public CompletionStage<@Nullable Long> truncateBefore(StreamName stream, String incarnation, long startOffset) {
        throw new AssertionError("not expected");
    }

    private static final class CountingEncoder implements EntryEncoder {
        private final ByteBuf buffer = Unpooled.buffer();
        private int count;
        private int arguments;

        @Override
        public void begin(int shape, long timestamp) {
            count++;
        }

        @Override
        public void field(ByteBuf source, int index, int length) {
            arguments++;
            buffer.writeBytes(source, index, length);
        }

        @Override
        public void field(long decimal) {
            arguments++;
            buffer.writeCharSequence(Long.toString(decimal), java.nio.charset.StandardCharsets.US_ASCII);
        }

        @Override
        public EncodedEntries finish() {
            return new EncodedEntries(buffer, 0, arguments, count, buffer.readableBytes(), 0, 0, 0);
        }

        @Override
        public void discard() {
            buffer.release();
        }
    }
}
