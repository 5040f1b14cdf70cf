package io.korvet.server.log;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.AppendBatch;
import io.korvet.store.AppendResult;
import io.korvet.store.EntryEncoder;
import io.korvet.store.EntryLog;
import io.korvet.store.EntrySink;
import io.korvet.store.LogState;
import io.korvet.store.RecordingSink;
import io.korvet.store.Stages;
import io.korvet.store.StoreException;
import io.korvet.store.StreamName;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One broker's way to a store: when a call is carried out and when its answer comes are steps of a simulated run. Calls of a
 * connection are carried out, and answered, in their order; when it is lost, those that are under way fail, and may still be
 * carried out later.
 */
final class ScheduledEntryLog implements EntryLog {

    /** The broker's connections. */
    enum Lane {
        APPENDS,
        METADATA,
        READS
    }

    /** A call under way. */
    static final class Call<T> {
        private final String name;
        private final Supplier<CompletionStage<T>> act;
        private final Runnable discard;
        private final Consumer<String> transcript;
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private @Nullable CompletionStage<T> result;

        Call(String name, Supplier<CompletionStage<T>> act, Runnable discard, Consumer<String> transcript) {
            this.name = name;
            this.act = act;
            this.discard = discard;
            this.transcript = transcript;
        }

        boolean isExecuted() {
            return result != null;
        }

        void execute() {
            CompletionStage<T> done = act.get();
            result = done;
            try {
                // Seals are the store's own time.
                transcript.accept(
                        name + " -> " + String.valueOf(Stages.await(done)).replaceAll("seal=\\w+", ""));
            } catch (StoreException e) {
                transcript.accept(name + " -> " + e.kind());
            }
        }

        private void deliver() {
            java.util.Objects.requireNonNull(result).whenComplete((value, failure) -> {
                if (failure == null) {
                    answer.complete(value);
                } else {
                    answer.completeExceptionally(failure);
                }
            });
        }

        /** Will never be carried out. */
        void discard() {
            discard.run();
        }
    }

    private final String broker;
    private final EntryLog store;
    private final Map<Long, List<RecordingSink.Entry>> cold;
    private final Consumer<String> transcript;
    private final Map<Lane, Deque<Call<?>>> lanes = new EnumMap<>(Lane.class);

    /**
     * A way to a store.
     *
     * @param cold entries of the segments that are no longer in the store but in a cold tier
     * @param transcript is told of every call that was carried out
     */
    ScheduledEntryLog(
            String broker, EntryLog store, Map<Long, List<RecordingSink.Entry>> cold, Consumer<String> transcript) {
        this.broker = broker;
        this.store = store;
        this.cold = cold;
        this.transcript = transcript;
        for (Lane lane : Lane.values()) {
            lanes.put(lane, new ArrayDeque<>());
        }
    }

    private Deque<Call<?>> lane(Lane lane) {
        return java.util.Objects.requireNonNull(lanes.get(lane));
    }

    /** The next call of a connection that Redis will carry out. */
    @Nullable
    Call<?> nextToExecute(Lane lane) {
        return lane(lane).stream()
                .filter(call -> !call.isExecuted())
                .findFirst()
                .orElse(null);
    }

    boolean canDeliver(Lane lane) {
        return !lane(lane).isEmpty() && lane(lane).element().isExecuted();
    }

    void deliver(Lane lane) {
        lane(lane).remove().deliver();
    }

    boolean isIdle(Lane lane) {
        return lane(lane).isEmpty();
    }

    /** Loses a connection; answers the calls that Redis has not seen yet. What is read on it then reaches nobody. */
    List<Call<?>> lose(Lane lane) {
        List<Call<?>> lost = List.copyOf(lane(lane));
        lane(lane).clear();
        List<Call<?>> unseen = new ArrayList<>();
        for (Call<?> call : lost) {
            if (!call.isExecuted() && lane != Lane.READS) {
                unseen.add(call);
            }
            call.answer.completeExceptionally(
                    new StoreException(StoreException.Kind.OUTCOME_UNKNOWN, "connection lost"));
        }
        return unseen;
    }

    private <T> CompletionStage<T> call(Lane lane, String name, Supplier<CompletionStage<T>> act, Runnable discard) {
        Call<T> call = new Call<>(broker + " " + name, act, discard, transcript);
        lane(lane).add(call);
        return call.answer;
    }

    @Override
    public CompletionStage<AppendResult> append(AppendBatch batch) {
        String name = "append " + batch.roll() + " after " + batch.expectedLast() + " at " + batch.first();
        return call(
                Lane.APPENDS,
                name,
                () -> store.append(batch),
                () -> batch.entries().buffer().release());
    }

    @Override
    public CompletionStage<@Nullable LogState> state(StreamName stream) {
        return call(Lane.METADATA, "state", () -> store.state(stream), () -> {});
    }

    @Override
    public CompletionStage<@Nullable String> writerState(StreamName stream, String writer) {
        return call(Lane.METADATA, "writer " + writer, () -> store.writerState(stream, writer), () -> {});
    }

    @Override
    public CompletionStage<Integer> read(
            StreamName stream, long segment, StreamEntryId from, int count, EntrySink sink) {
        return call(
                Lane.READS,
                "read of " + segment + " from " + from,
                () -> {
                    List<RecordingSink.Entry> archived = cold.get(segment);
                    return archived == null
                            ? store.read(stream, segment, from, count, sink)
                            : CompletableFuture.completedStage(give(archived, from, count, sink));
                },
                () -> {});
    }

    private static int give(List<RecordingSink.Entry> archived, StreamEntryId from, int count, EntrySink sink) {
        List<RecordingSink.Entry> wanted = archived.stream()
                .filter(entry -> entry.id().compareTo(from) >= 0)
                .limit(count)
                .toList();
        for (RecordingSink.Entry entry : wanted) {
            sink.entry(entry.id().milliseconds(), entry.id().sequence());
            entry.fields().forEach((field, value) -> sink.field(field, StandardCharsets.UTF_8.encode(value)));
        }
        return wanted.size();
    }

    @Override
    public CompletionStage<@Nullable Long> truncateBefore(StreamName stream, String incarnation, long startOffset) {
        return call(
                Lane.METADATA,
                "truncate before " + startOffset,
                () -> store.truncateBefore(stream, incarnation, startOffset),
                () -> {});
    }

    @Override
    public EntryEncoder encoder(int expectedEntries, int expectedBytes) {
        return store.encoder(expectedEntries, expectedBytes);
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
    public CompletionStage<StreamEntryId> seekTimestamp(StreamName stream, long segment, long timestamp) {
        throw new AssertionError("not expected");
    }
}
