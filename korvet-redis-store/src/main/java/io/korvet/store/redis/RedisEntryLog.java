package io.korvet.store.redis;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.AppendBatch;
import io.korvet.store.AppendResult;
import io.korvet.store.EntryEncoder;
import io.korvet.store.EntryLog;
import io.korvet.store.EntrySink;
import io.korvet.store.LogState;
import io.korvet.store.StreamName;
import io.korvet.store.redis.RedisCall.Effect;
import io.korvet.store.redis.RedisNode.Kind;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Logs in Redis Streams; appends have a connection of their own, which a long read can't hold up. */
final class RedisEntryLog implements EntryLog {

    private static final int FENCED = 0;
    private static final int APPENDED = 1;

    private final KeySchema keys;
    private final RedisRoute appends;
    private final RedisRoute copiedAppends;
    private final RedisRoute reads;
    private final RedisRoute metadata;

    RedisEntryLog(KeySchema keys, RedisConnections connections) {
        this.keys = keys;
        appends = connections.route(Kind.APPENDS);
        copiedAppends = connections.route(Kind.COPIED_APPENDS);
        reads = connections.route(Kind.READS);
        metadata = connections.route(Kind.METADATA);
    }

    @Override
    public CompletionStage<Void> create(StreamName stream, String incarnation) {
        return wholeLog("create " + stream, Script.CREATE_LOG, stream, incarnation);
    }

    @Override
    public CompletionStage<Void> delete(StreamName stream, String incarnation) {
        return wholeLog("delete " + stream, Script.DELETE_LOG, stream, incarnation);
    }

    private CompletionStage<Void> wholeLog(String name, Script script, StreamName stream, String incarnation) {
        return metadata.send(RedisCall.number(
                        name,
                        Effect.CHANGES,
                        CommandType.EVALSHA,
                        RedisCall.arguments(
                                script,
                                List.of(keys.meta(stream), keys.producers(stream), keys.segments(stream)),
                                List.of(incarnation, keys.logPrefix(stream), KeySchema.TIMES_SUFFIX))))
                .thenAccept(done -> {});
    }

    @Override
    public EntryEncoder encoder(int expectedEntries, int expectedBytes) {
        return new RespEntryEncoder(PooledByteBufAllocator.DEFAULT, expectedEntries, expectedBytes);
    }

    @Override
    public CompletionStage<AppendResult> append(AppendBatch batch) {
        return append(batch, 0);
    }

    @Override
    public CompletionStage<AppendResult> append(AppendBatch batch, int replicas) {
        AppendArguments arguments = new AppendArguments(batch, keys);
        RedisCall<List<Object>> call = new RedisCall<>(
                "append to " + batch.stream(),
                Effect.CHANGES,
                CommandType.EVALSHA,
                arguments,
                () -> new NestedMultiOutput<>(StringCodec.UTF8));
        call.whenDone(arguments::release);
        if (replicas == 0) {
            return appends.send(call).thenApply(answer -> result(batch, answer));
        }
        return copiedAppends.send(call.copiedTo(replicas)).thenCompose(answer -> {
            AppendResult result = result(batch, answer);
            return result instanceof AppendResult.Appended appended
                    ? call.copies()
                            .thenApply(copies ->
                                    copies >= replicas ? appended : new AppendResult.Uncopied(appended, copies))
                    : CompletableFuture.completedStage(result);
        });
    }

    private static AppendResult result(AppendBatch batch, List<Object> answer) {
        int kind = ((Long) answer.get(0)).intValue();
        if (kind == FENCED) {
            return new AppendResult.Fenced();
        }
        if (kind == APPENDED) {
            return new AppendResult.Appended(
                    AppendArguments.idAt(batch, batch.entries().count() - 1),
                    Rows.id((String) answer.get(1)),
                    Rows.number((String) answer.get(2), 0),
                    AppendArguments.targetSegment(batch),
                    (Long) answer.get(3),
                    (Long) answer.get(4));
        }
        Map<String, String> writers = new HashMap<>();
        for (int i = 0; i < batch.writers().size(); i++) {
            writers.put(batch.writers().get(i).writer(), (String) answer.get(3 + i));
        }
        return new AppendResult.Stale(
                Rows.state(
                        Rows.map(answer.get(1)),
                        Rows.map(answer.get(2)),
                        batch.stream().value()),
                writers);
    }

    @Override
    public CompletionStage<@Nullable LogState> state(StreamName stream) {
        return metadata.send(RedisCall.list(
                        "state of " + stream,
                        Effect.READS,
                        CommandType.EVALSHA,
                        RedisCall.arguments(
                                Script.LOG_STATE, List.of(keys.meta(stream), keys.segments(stream)), List.of())))
                .thenApply(answer -> {
                    Map<String, String> meta = Rows.map(answer.get(0));
                    return meta.isEmpty() ? null : Rows.state(meta, Rows.map(answer.get(1)), stream.value());
                });
    }

    @Override
    public CompletionStage<@Nullable String> writerState(StreamName stream, String writer) {
        return metadata.send(RedisCall.text(
                "writer " + writer + " of " + stream,
                Effect.READS,
                CommandType.HGET,
                RedisCall.arguments().addKey(keys.producers(stream)).add(writer)));
    }

    @Override
    public CompletionStage<CopiedState> copiedWriterState(StreamName stream, String writer, int replicas) {
        RedisCall<@Nullable String> call = RedisCall.text(
                "copies of writer " + writer + " of " + stream,
                Effect.CHANGES,
                CommandType.EVALSHA,
                RedisCall.arguments(Script.TOUCH_WRITER, List.of(keys.producers(stream)), List.of(writer)));
        return copiedAppends
                .send(call.copiedTo(replicas))
                .thenCompose(state -> state == null
                        ? CompletableFuture.completedStage(new CopiedState(null, 0))
                        : call.copies().thenApply(copies -> new CopiedState(state, copies)));
    }

    @Override
    public CompletionStage<@Nullable Confirmation> confirmCopies(
            StreamName stream, String incarnation, long copiedEnd, long openSegment, int replicas) {
        RedisCall<List<Object>> call = RedisCall.list(
                "copies of " + stream,
                Effect.CHANGES,
                CommandType.EVALSHA,
                RedisCall.arguments(
                        Script.CONFIRM_COPIES,
                        List.of(keys.meta(stream), keys.segment(stream, openSegment)),
                        List.of(incarnation, Long.toString(copiedEnd))));
        return copiedAppends
                .send(call.copiedTo(replicas))
                .thenCompose(answer -> answer.size() < 2
                        ? CompletableFuture.completedStage(null)
                        : call.copies()
                                .thenApply(copies -> new Confirmation(
                                        Rows.number((String) answer.get(0), 0),
                                        Rows.id((String) answer.get(1)),
                                        copies)));
    }

    @Override
    public CompletionStage<Integer> read(
            StreamName stream, long segment, StreamEntryId from, int count, EntrySink sink) {
        return reads.send(new RedisCall<>(
                "read of " + stream,
                Effect.READS,
                CommandType.XRANGE,
                RedisCall.arguments()
                        .addKey(keys.segment(stream, segment))
                        .add(from.toString())
                        .add("+")
                        .add("COUNT")
                        .add(count),
                () -> new RangeOutput(sink)));
    }

    @Override
    public CompletionStage<StreamEntryId> seekTimestamp(StreamName stream, long segment, long timestamp) {
        return reads.send(RedisCall.list(
                        "time index of " + stream,
                        Effect.READS,
                        CommandType.ZREVRANGEBYSCORE,
                        RedisCall.arguments()
                                .addKey(keys.times(stream, segment))
                                .add("(" + timestamp)
                                .add("-inf")
                                .add("LIMIT")
                                .add(0)
                                .add(1)))
                .thenApply(found -> {
                    return found.isEmpty() ? StreamEntryId.MINIMUM : StreamEntryId.parse((String) found.get(0));
                });
    }

    @Override
    public CompletionStage<@Nullable Long> truncateBefore(StreamName stream, String incarnation, long startOffset) {
        return metadata.send(RedisCall.text(
                        "truncate " + stream,
                        Effect.CHANGES,
                        CommandType.EVALSHA,
                        RedisCall.arguments(
                                Script.TRUNCATE,
                                List.of(keys.meta(stream)),
                                List.of(incarnation, Long.toString(startOffset)))))
                .thenApply(start -> start == null ? null : Long.valueOf(start));
    }
}
