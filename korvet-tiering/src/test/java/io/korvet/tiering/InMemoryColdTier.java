package io.korvet.tiering;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.EntryFields;
import io.korvet.store.EntryLog;
import io.korvet.store.EntrySink;
import io.korvet.store.StreamName;
import io.korvet.tiering.ColdTierException.Kind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cold tier in memory that can be told to fail. Answers are complete when a call returns unless a fault says otherwise.
 * Several processes are {@link #peer}s of one archive. Thread-safe.
 */
public final class InMemoryColdTier implements ColdTier {

    /** A call that can be made to fail. */
    public enum Call {
        /** {@link ColdTier#lead}. */
        LEAD,
        /** {@link ColdTier#offload}. */
        OFFLOAD,
        /** {@link ColdTier#find}. */
        FIND,
        /** {@link ColdTier#removeThrough}. */
        REMOVE_THROUGH,
        /** {@link ColdTier#removeLog}. */
        REMOVE_LOG,
        /** {@link ColdTier#maintain}. */
        MAINTAIN,
        /** {@link ColdTier#read}. */
        READ,
        /** {@link ColdTier#seekTimestamp}. */
        SEEK
    }

    /** What becomes of a call. */
    public enum Fault {
        /** Fails with this kind, and does nothing. */
        UNAVAILABLE,
        /** The same. */
        REFUSED,
        /** The same. */
        CORRUPT,
        /** The same. */
        BUSY,
        /** Does nothing and is not answered before {@link #release}, then carried out. */
        HANG,
        /** An offload that is carried out, and nobody knows; the first part of every other call fails as unavailable. */
        UNKNOWN_WRITTEN,
        /** An offload that is not carried out, and nobody knows. */
        UNKNOWN_LOST
    }

    private record Row(StreamEntryId id, List<Field> fields) {}

    private record Field(int field, ByteBuffer value) {}

    /** What all peers share. */
    private static final class Archive {
        private final Map<StreamName, Map<String, NavigableMap<Long, List<Row>>>> logs = new HashMap<>();
        private long epoch = -1;
    }

    private final Archive archive;
    private final EntryLog entries;
    private final Map<Call, Deque<Fault>> faults = new EnumMap<>(Call.class);
    private final Map<StreamName, Map<Call, Fault>> lasting = new ConcurrentHashMap<>();
    private final Map<String, Fault> broken = new HashMap<>();
    private final List<Runnable> held = new ArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private long epoch = -1;

    /** An empty archive; segments are read from a log. */
    public InMemoryColdTier(EntryLog entries) {
        this(new Archive(), entries);
    }

    private InMemoryColdTier(Archive archive, EntryLog entries) {
        this.archive = archive;
        this.entries = entries;
    }

    /** The same archive as another process has it. */
    public InMemoryColdTier peer() {
        return new InMemoryColdTier(archive, entries);
    }

    /** What becomes of the next calls of a kind, one after the other. */
    public synchronized void next(Call call, Fault... next) {
        faults.computeIfAbsent(call, key -> new ArrayDeque<>()).addAll(List.of(next));
    }

    /** What becomes of all calls of a kind for one log, until {@link #heal}. */
    public void always(StreamName stream, Call call, Fault fault) {
        lasting.computeIfAbsent(stream, key -> new ConcurrentHashMap<>()).put(call, fault);
    }

    /** What becomes of all calls of a kind for one segment, until {@link #heal}. */
    public synchronized void always(StreamName stream, long segment, Call call, Fault fault) {
        broken.put(call + " " + stream + "/" + segment, fault);
    }

    /** Takes all faults back that are yet to come. */
    public synchronized void heal() {
        faults.clear();
        lasting.clear();
        broken.clear();
    }

    /** Carries out the calls that hang. */
    public void release() {
        List<Runnable> released;
        synchronized (this) {
            released = List.copyOf(held);
            held.clear();
        }
        released.forEach(Runnable::run);
    }

    /** The calls so far, as {@code "OFFLOAD orders:0/3"}. */
    public synchronized List<String> calls() {
        return List.copyOf(calls);
    }

    /** The numbers of the segments that are there. */
    public List<Long> segments(StreamName stream, String incarnation) {
        synchronized (archive) {
            return List.copyOf(log(stream, incarnation).keySet());
        }
    }

    private NavigableMap<Long, List<Row>> log(StreamName stream, String incarnation) {
        return archive.logs
                .computeIfAbsent(stream, name -> new HashMap<>())
                .computeIfAbsent(incarnation, name -> new TreeMap<>());
    }

    private <T> CompletionStage<T> call(
            Call call, @Nullable StreamName stream, String detail, Supplier<CompletionStage<T>> act) {
        Fault fault = fault(call, stream, detail);
        if (fault == null) {
            return act.get();
        }
        return switch (fault) {
            case UNAVAILABLE, UNKNOWN_WRITTEN, UNKNOWN_LOST -> failed(Kind.UNAVAILABLE, call + detail);
            case REFUSED -> failed(Kind.REFUSED, call + detail);
            case CORRUPT -> failed(Kind.CORRUPT, call + detail);
            case BUSY -> failed(Kind.BUSY, call + detail);
            case HANG -> {
                CompletableFuture<T> answer = new CompletableFuture<>();
                synchronized (this) {
                    held.add(() -> act.get().whenComplete((result, failure) -> {
                        if (failure == null) {
                            answer.complete(result);
                        } else {
                            answer.completeExceptionally(failure);
                        }
                    }));
                }
                yield answer;
            }
        };
    }

    private synchronized @Nullable Fault fault(Call call, @Nullable StreamName stream, String detail) {
        String what = (call + " " + (stream == null ? "" : stream) + detail).strip();
        calls.add(what);
        Fault fault = faults.getOrDefault(call, new ArrayDeque<>()).poll();
        if (fault == null && broken.containsKey(what)) {
            return broken.get(what);
        }
        return fault == null && stream != null
                ? lasting.getOrDefault(stream, Map.of()).get(call)
                : fault;
    }

    private static <T> CompletionStage<T> failed(Kind kind, String what) {
        return CompletableFuture.failedStage(new ColdTierException(kind, what));
    }

    private static <T> CompletionStage<T> done(T value) {
        return CompletableFuture.completedStage(value);
    }

    private static CompletionStage<Void> nothing() {
        return CompletableFuture.completedStage(null);
    }

    private <T> CompletionStage<T> leading(Supplier<CompletionStage<T>> act) {
        synchronized (archive) {
            return epoch < archive.epoch || epoch < 0
                    ? failed(Kind.FENCED, "epoch " + epoch + " while " + archive.epoch + " leads")
                    : act.get();
        }
    }

    @Override
    public CompletionStage<Void> lead(long newEpoch) {
        return call(Call.LEAD, null, Long.toString(newEpoch), () -> {
            synchronized (archive) {
                if (newEpoch <= archive.epoch) {
                    return failed(Kind.FENCED, "epoch " + newEpoch + " while " + archive.epoch + " leads");
                }
                archive.epoch = newEpoch;
                epoch = newEpoch;
                return nothing();
            }
        });
    }

    @Override
    public CompletionStage<Offload> offload(ColdSegment sealed, OffloadProgress progress) {
        Fault unknown;
        synchronized (this) {
            Fault next = faults.getOrDefault(Call.OFFLOAD, new ArrayDeque<>()).peek();
            next = next == null
                    ? lasting.getOrDefault(sealed.stream(), Map.of()).get(Call.OFFLOAD)
                    : next;
            unknown = next == Fault.UNKNOWN_LOST || next == Fault.UNKNOWN_WRITTEN ? next : null;
        }
        if (unknown == null) {
            return call(Call.OFFLOAD, sealed.stream(), "/" + sealed.number(), () -> copy(sealed, progress));
        }
        fault(Call.OFFLOAD, sealed.stream(), "/" + sealed.number());
        Offload inDoubt = new Offload(OffloadOutcome.UNKNOWN, null);
        return unknown == Fault.UNKNOWN_LOST
                ? done(inDoubt)
                : copy(sealed, progress).thenApply(copied -> inDoubt);
    }

    private CompletionStage<Offload> copy(ColdSegment sealed, OffloadProgress progress) {
        List<Row> rows = new ArrayList<>();
        int count = Math.toIntExact(Math.max(1, sealed.segment().entries()));
        return entries.read(sealed.stream(), sealed.number(), StreamEntryId.MINIMUM, count, collector(rows))
                .thenCompose(read -> leading(() -> {
                    NavigableMap<Long, List<Row>> log = log(sealed.stream(), sealed.incarnation());
                    if (!log.containsKey(sealed.number())) {
                        if (read != sealed.segment().entries()) {
                            return failed(
                                    Kind.CORRUPT,
                                    sealed + " has " + read + " entries: expected "
                                            + sealed.segment().entries());
                        }
                        log.put(sealed.number(), rows);
                    }
                    progress.advanced(read, sealed.segment().bytes());
                    return done(new Offload(OffloadOutcome.COMMITTED, "memory:" + sealed.number()));
                }));
    }

    private static EntrySink collector(List<Row> rows) {
        return new EntrySink() {
            @Override
            public void entry(long milliseconds, long sequence) {
                rows.add(new Row(new StreamEntryId(milliseconds, sequence), new ArrayList<>()));
            }

            @Override
            public void field(int field, ByteBuffer value) {
                byte[] bytes = new byte[value.remaining()];
                value.get(bytes);
                rows.get(rows.size() - 1).fields().add(new Field(field, ByteBuffer.wrap(bytes)));
            }
        };
    }

    @Override
    public CompletionStage<Offload> find(ColdSegment sealed) {
        return call(Call.FIND, sealed.stream(), "/" + sealed.number(), () -> {
            synchronized (archive) {
                return done(
                        log(sealed.stream(), sealed.incarnation()).containsKey(sealed.number())
                                ? new Offload(OffloadOutcome.COMMITTED, "memory:" + sealed.number())
                                : new Offload(OffloadOutcome.NOT_COMMITTED, null));
            }
        });
    }

    @Override
    public CompletionStage<Void> removeThrough(StreamName stream, String incarnation, long lastSegment) {
        return call(
                Call.REMOVE_THROUGH,
                stream,
                "/" + lastSegment,
                () -> leading(() -> {
                    log(stream, incarnation).headMap(lastSegment, true).clear();
                    return nothing();
                }));
    }

    @Override
    public CompletionStage<Void> removeLog(StreamName stream, String incarnation) {
        return call(
                Call.REMOVE_LOG,
                stream,
                "",
                () -> leading(() -> {
                    log(stream, incarnation).clear();
                    return nothing();
                }));
    }

    @Override
    public CompletionStage<Void> maintain() {
        return call(Call.MAINTAIN, null, "", () -> leading(InMemoryColdTier::nothing));
    }

    @Override
    public CompletionStage<Integer> read(ColdSegment segment, StreamEntryId from, int count, EntrySink sink) {
        return call(Call.READ, segment.stream(), "/" + segment.number(), () -> {
            List<Row> rows;
            synchronized (archive) {
                rows = log(segment.stream(), segment.incarnation()).get(segment.number());
            }
            if (rows == null) {
                return failed(Kind.CORRUPT, segment + " is not in the cold tier");
            }
            int given = 0;
            for (Row row : rows) {
                if (row.id().compareTo(from) >= 0 && given < count) {
                    given++;
                    sink.entry(row.id().milliseconds(), row.id().sequence());
                    row.fields()
                            .forEach(field ->
                                    sink.field(field.field(), field.value().duplicate()));
                }
            }
            return done(given);
        });
    }

    @Override
    public CompletionStage<StreamEntryId> seekTimestamp(ColdSegment segment, long timestamp) {
        return call(Call.SEEK, segment.stream(), "/" + segment.number(), () -> {
            synchronized (archive) {
                StreamEntryId place = StreamEntryId.MINIMUM;
                List<Row> rows = log(segment.stream(), segment.incarnation()).get(segment.number());
                for (Row row : Objects.requireNonNullElse(rows, List.<Row>of())) {
                    if (timestampOf(row) >= timestamp) {
                        return done(row.id());
                    }
                    place = new StreamEntryId(row.id().milliseconds(), row.id().sequence() + 1);
                }
                return done(place);
            }
        });
    }

    private static long timestampOf(Row row) {
        for (Field field : row.fields()) {
            if (field.field() == EntryFields.TIMESTAMP) {
                return Long.parseLong(StandardCharsets.US_ASCII
                        .decode(field.value().duplicate())
                        .toString());
            }
        }
        return row.id().milliseconds();
    }

    @Override
    public void close() {
        release();
    }
}
