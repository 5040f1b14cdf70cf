package io.korvet.store.memory;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.AppendBatch;
import io.korvet.store.AppendBatch.Roll;
import io.korvet.store.AppendResult;
import io.korvet.store.EntryEncoder;
import io.korvet.store.EntryLog;
import io.korvet.store.EntrySink;
import io.korvet.store.LogState;
import io.korvet.store.StoreException;
import io.korvet.store.StoreException.Kind;
import io.korvet.store.StreamName;
import io.korvet.store.WriterUpdate;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Logs in memory. */
public final class InMemoryEntryLog implements EntryLog {

    private static final long BYTES_PER_INDEX_POINT = 262_144;

    private final Map<StreamName, InMemoryLog> logs = new HashMap<>();
    private final Deque<Kind> appendFaults = new ArrayDeque<>();

    InMemoryEntryLog() {}

    /**
     * Lets the next append fail that has no earlier fault to take; {@link Kind#OUTCOME_UNKNOWN} is carried out and fails
     * all the same, every other kind is not carried out.
     */
    public synchronized void failAppend(Kind kind) {
        appendFaults.add(kind);
    }

    /** Adds an entry as a plain Redis client would, behind the bookkeeping's back; fields by name. */
    public synchronized void addForeign(StreamName stream, long segment, StreamEntryId id, Map<String, byte[]> fields) {
        log(stream).stream(segment).add(id, fields);
    }

    synchronized <T> T with(StreamName stream, java.util.function.Function<@Nullable InMemoryLog, T> act) {
        return act.apply(logs.get(stream));
    }

    private InMemoryLog log(StreamName stream) {
        return Objects.requireNonNull(logs.get(stream), () -> "no log " + stream);
    }

    @Override
    public synchronized CompletionStage<Void> create(StreamName stream, String incarnation) {
        InMemoryLog log = logs.get(stream);
        if (log == null || !log.incarnation.equals(incarnation)) {
            logs.put(stream, new InMemoryLog(incarnation));
        }
        return CompletableFuture.completedStage(null);
    }

    @Override
    public synchronized CompletionStage<Void> delete(StreamName stream, String incarnation) {
        InMemoryLog log = logs.get(stream);
        if (log != null && log.incarnation.equals(incarnation)) {
            logs.remove(stream);
        }
        return CompletableFuture.completedStage(null);
    }

    @Override
    public EntryEncoder encoder(int expectedEntries, int expectedBytes) {
        return new InMemoryEntryEncoder();
    }

    @Override
    public synchronized CompletionStage<AppendResult> append(AppendBatch batch) {
        try {
            Kind fault = appendFaults.poll();
            if (fault != null && fault != Kind.OUTCOME_UNKNOWN) {
                return CompletableFuture.failedStage(new StoreException(fault, "append to " + batch.stream()));
            }
            AppendResult result = appended(batch);
            return fault == null
                    ? CompletableFuture.completedStage(result)
                    : CompletableFuture.failedStage(new StoreException(fault, "append to " + batch.stream()));
        } finally {
            batch.entries().buffer().release();
        }
    }

    private AppendResult appended(AppendBatch batch) {
        InMemoryLog log = logs.get(batch.stream());
        if (log == null || !log.incarnation.equals(batch.incarnation())) {
            return new AppendResult.Fenced();
        }
        boolean asBelieved = log.openNumber == batch.segment() && Objects.equals(log.last, batch.expectedLast());
        for (WriterUpdate writer : batch.writers()) {
            asBelieved &= log.writers.getOrDefault(writer.writer(), "").equals(writer.expected());
        }
        if (!asBelieved) {
            return stale(log, batch);
        }
        InMemoryLog.Stream open = log.stream(log.openNumber);
        boolean foreign = open.entries.size() != log.open.entries;
        if (foreign) {
            log.absorb(batch.nowMilliseconds());
        }
        if (log.last != null && batch.first().compareTo(log.last) <= 0) {
            return stale(log, batch);
        }
        if (batch.roll() == Roll.SEAL_FIRST) {
            if (foreign || log.open.entries == 0) {
                return stale(log, batch);
            }
            log.seal(batch.nowMilliseconds());
        }
        StreamEntryId previous = log.last;
        write(log, batch);
        return new AppendResult.Appended(
                Objects.requireNonNull(log.last),
                previous,
                log.startOffset,
                log.openNumber,
                log.open.entries,
                log.open.bytes);
    }

    private static void write(InMemoryLog log, AppendBatch batch) {
        InMemoryLog.Stream stream = log.stream(log.openNumber);
        InMemoryLog.Bookkeeping open = log.open;
        if (open.entries > 0
                && open.bytes % BYTES_PER_INDEX_POINT + batch.entries().bytes() >= BYTES_PER_INDEX_POINT) {
            stream.points.put(open.maxTimestamp, batch.first());
        }
        if (open.entries == 0) {
            open.first = batch.first();
            open.opened = batch.nowMilliseconds();
        }
        StreamEntryId id = batch.first();
        List<Map<String, byte[]>> entries =
                InMemoryEntryEncoder.decode(batch.entries().buffer());
        for (int i = 0; i < entries.size(); i++) {
            if (i > 0) {
                id = id.sequence() + 1 < batch.sequencesPerMillisecond()
                        ? new StreamEntryId(id.milliseconds(), id.sequence() + 1)
                        : new StreamEntryId(id.milliseconds() + 1, 0);
            }
            if (i == batch.entries().maxTimestampIndex() && batch.entries().maxTimestamp() > open.maxTimestamp) {
                open.maxTimestamp = batch.entries().maxTimestamp();
                open.maxTimestampId = id;
            }
            stream.add(id, entries.get(i));
        }
        open.minTimestamp = Math.min(open.minTimestamp, batch.entries().minTimestamp());
        open.entries += entries.size();
        open.bytes += batch.entries().bytes();
        log.last = id;
        batch.writers().forEach(writer -> log.writers.put(writer.writer(), writer.next()));
    }

    private static AppendResult stale(InMemoryLog log, AppendBatch batch) {
        Map<String, String> writers = new HashMap<>();
        batch.writers().forEach(writer -> writers.put(writer.writer(), log.writers.getOrDefault(writer.writer(), "")));
        return new AppendResult.Stale(log.state(), writers);
    }

    @Override
    public synchronized CompletionStage<@Nullable LogState> state(StreamName stream) {
        InMemoryLog log = logs.get(stream);
        return CompletableFuture.completedStage(log == null ? null : log.state());
    }

    @Override
    public synchronized CompletionStage<@Nullable String> writerState(StreamName stream, String writer) {
        InMemoryLog log = logs.get(stream);
        return CompletableFuture.completedStage(log == null ? null : log.writers.get(writer));
    }

    @Override
    public synchronized CompletionStage<Integer> read(
            StreamName stream, long segment, StreamEntryId from, int count, EntrySink sink) {
        InMemoryLog log = logs.get(stream);
        InMemoryLog.Stream entries = log == null ? null : log.streams.get(segment);
        if (entries == null) {
            return CompletableFuture.completedStage(0);
        }
        int given = 0;
        for (Map.Entry<StreamEntryId, Map<String, byte[]>> entry :
                entries.entries.tailMap(from).entrySet()) {
            if (given == count) {
                break;
            }
            sink.entry(entry.getKey().milliseconds(), entry.getKey().sequence());
            entry.getValue().forEach((name, value) -> give(sink, name, value));
            given++;
        }
        return CompletableFuture.completedStage(given);
    }

    private static void give(EntrySink sink, String name, byte[] value) {
        int field = InMemoryEntryEncoder.fieldOf(name);
        if (field < 0) {
            sink.otherField(StandardCharsets.UTF_8.encode(name), ByteBuffer.wrap(value));
        } else {
            sink.field(field, ByteBuffer.wrap(value));
        }
    }

    @Override
    public synchronized CompletionStage<StreamEntryId> seekTimestamp(StreamName stream, long segment, long timestamp) {
        InMemoryLog log = logs.get(stream);
        InMemoryLog.Stream entries = log == null ? null : log.streams.get(segment);
        Map.Entry<Long, StreamEntryId> point = entries == null ? null : entries.points.lowerEntry(timestamp);
        return CompletableFuture.completedStage(point == null ? StreamEntryId.MINIMUM : point.getValue());
    }

    @Override
    public synchronized CompletionStage<@Nullable Long> truncateBefore(
            StreamName stream, String incarnation, long startOffset) {
        InMemoryLog log = logs.get(stream);
        if (log == null || !log.incarnation.equals(incarnation)) {
            return CompletableFuture.completedStage(null);
        }
        log.startOffset = Math.max(log.startOffset, startOffset);
        return CompletableFuture.completedStage(log.startOffset);
    }
}
