package io.korvet.tiering;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.AppendBatch;
import io.korvet.store.AppendResult;
import io.korvet.store.EntryEncoder;
import io.korvet.store.EntryLog;
import io.korvet.store.EntrySink;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.store.StreamName;
import io.korvet.tiering.KnownSegments.Known;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A store's logs with the segments that live on in a cold tier: readers see one log and need not know where its entries
 * are.
 *
 * <p>What it remembers of segments is a guess that may be old. Only one mistake could cost entries, taking a segment that
 * was dropped for one that is in the store, since such a segment reads as empty; so a read that finds nothing in a segment
 * that should have something asks for the log's state and goes where that says. Callers that know better which segment is
 * open than they told this log (they appended) ask for the state themselves before they go on to the next segment.
 * Thread-safe, never blocks.
 */
public final class TieredEntryLog implements EntryLog {

    /** Dropped segments remembered of all streams together. */
    private static final int SEGMENTS_REMEMBERED = 200_000;

    private final EntryLog local;
    private final ColdTier cold;
    private final KnownSegments known = new KnownSegments(SEGMENTS_REMEMBERED);

    /** The logs of a store, with what a cold tier has of them. */
    public TieredEntryLog(EntryLog local, ColdTier cold) {
        this.local = local;
        this.cold = cold;
    }

    @Override
    public CompletionStage<Void> create(StreamName stream, String incarnation) {
        return local.create(stream, incarnation);
    }

    @Override
    public CompletionStage<Void> delete(StreamName stream, String incarnation) {
        return local.delete(stream, incarnation);
    }

    @Override
    public EntryEncoder encoder(int expectedEntries, int expectedBytes) {
        return local.encoder(expectedEntries, expectedBytes);
    }

    @Override
    public CompletionStage<AppendResult> append(AppendBatch batch) {
        return local.append(batch);
    }

    @Override
    public CompletionStage<AppendResult> append(AppendBatch batch, int replicas) {
        return local.append(batch, replicas);
    }

    @Override
    public CompletionStage<@Nullable LogState> state(StreamName stream) {
        return local.state(stream).thenApply(state -> {
            if (state == null) {
                known.forget(stream);
            } else {
                known.learn(stream, state);
            }
            return state;
        });
    }

    @Override
    public CompletionStage<@Nullable String> writerState(StreamName stream, String writer) {
        return local.writerState(stream, writer);
    }

    @Override
    public CompletionStage<CopiedState> copiedWriterState(StreamName stream, String writer, int replicas) {
        return local.copiedWriterState(stream, writer, replicas);
    }

    @Override
    public CompletionStage<@Nullable Confirmation> confirmCopies(
            StreamName stream, String incarnation, long copiedEnd, long openSegment, int replicas) {
        return local.confirmCopies(stream, incarnation, copiedEnd, openSegment, replicas);
    }

    @Override
    public CompletionStage<Integer> read(
            StreamName stream, long segment, StreamEntryId from, int count, EntrySink sink) {
        Known log = known.of(stream);
        Segment dropped = log == null ? null : log.dropped(segment);
        if (log != null && dropped != null) {
            return readCold(stream, log, dropped, from, count, sink);
        }
        return local.read(stream, segment, from, count, sink).thenCompose(read -> {
            if (read > 0 || (log != null && log.endsBefore(segment, from))) {
                return CompletableFuture.completedStage(read);
            }
            return droppedNow(stream, segment)
                    .thenCompose(now -> now == null
                            ? CompletableFuture.completedStage(0)
                            : readCold(stream, now.log(), now.segment(), from, count, sink));
        });
    }

    private CompletionStage<Integer> readCold(
            StreamName stream, Known log, Segment dropped, StreamEntryId from, int count, EntrySink sink) {
        return dropped.last() == null || dropped.last().compareTo(from) < 0
                ? CompletableFuture.completedStage(0)
                : cold.read(new ColdSegment(stream, log.incarnation(), dropped), from, count, sink);
    }

    /** A segment that is only in the cold tier. */
    private record Dropped(Known log, Segment segment) {}

    /** The segment as the store has it now if it was dropped, else {@code null}. */
    private CompletionStage<@Nullable Dropped> droppedNow(StreamName stream, long segment) {
        return state(stream).thenApply(state -> {
            if (state == null) {
                return null;
            }
            for (Segment sealed : state.sealed()) {
                if (sealed.number() == segment && sealed.state() == SegmentState.DROPPED) {
                    return new Dropped(Known.of(state), sealed);
                }
            }
            return null;
        });
    }

    @Override
    public CompletionStage<StreamEntryId> seekTimestamp(StreamName stream, long segment, long timestamp) {
        Known log = known.of(stream);
        Segment dropped = log == null ? null : log.dropped(segment);
        // An index that was dropped meanwhile answers with the segment's begin, which is a slow answer and no wrong
        // one.
        return log != null && dropped != null
                ? cold.seekTimestamp(new ColdSegment(stream, log.incarnation(), dropped), timestamp)
                : local.seekTimestamp(stream, segment, timestamp);
    }

    @Override
    public CompletionStage<@Nullable Long> truncateBefore(StreamName stream, String incarnation, long startOffset) {
        return local.truncateBefore(stream, incarnation, startOffset);
    }
}
