package io.korvet.store.memory;

import io.korvet.store.Segment;
import io.korvet.store.SegmentCatalog;
import io.korvet.store.SegmentState;
import io.korvet.store.StreamName;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Segments of the logs in memory. */
public final class InMemorySegmentCatalog implements SegmentCatalog {

    private final InMemoryEntryLog entries;

    InMemorySegmentCatalog(InMemoryEntryLog entries) {
        this.entries = entries;
    }

    private CompletionStage<Outcome> act(StreamName stream, String incarnation, Function<InMemoryLog, Outcome> step) {
        return CompletableFuture.completedStage(entries.with(
                stream, log -> log == null || !log.incarnation.equals(incarnation) ? Outcome.FENCED : step.apply(log)));
    }

    @Override
    public CompletionStage<Outcome> seal(StreamName stream, String incarnation, long segment, long nowMilliseconds) {
        return act(stream, incarnation, log -> {
            if (log.openNumber != segment) {
                return log.sealed.containsKey(segment) ? Outcome.DONE : Outcome.NOT_APPLICABLE;
            }
            int there = log.stream(segment).entries.size();
            if (there == 0) {
                return Outcome.NOT_APPLICABLE;
            }
            if (there != log.open.entries) {
                log.absorb(nowMilliseconds);
            }
            log.seal(nowMilliseconds);
            return Outcome.DONE;
        });
    }

    @Override
    public CompletionStage<Outcome> markOffloaded(
            StreamName stream, String incarnation, long segment, String remoteFile) {
        return act(stream, incarnation, log -> {
            Segment row = log.sealed.get(segment);
            if (row != null && row.state() == SegmentState.OFFLOADED && remoteFile.equals(row.remoteFile())) {
                return Outcome.DONE;
            }
            if (row == null || row.state() != SegmentState.SEALED) {
                return Outcome.NOT_APPLICABLE;
            }
            log.move(segment, SegmentState.OFFLOADED, remoteFile);
            return Outcome.DONE;
        });
    }

    @Override
    public CompletionStage<Outcome> dropLocal(StreamName stream, String incarnation, long segment) {
        return act(stream, incarnation, log -> {
            Segment row = log.sealed.get(segment);
            if (row == null || row.state() != SegmentState.OFFLOADED) {
                return row != null && row.state() == SegmentState.DROPPED ? Outcome.DONE : Outcome.NOT_APPLICABLE;
            }
            log.move(segment, SegmentState.DROPPED, row.remoteFile());
            log.streams.remove(segment);
            return Outcome.DONE;
        });
    }

    @Override
    public CompletionStage<Outcome> remove(StreamName stream, String incarnation, long segment, long newStartOffset) {
        return act(stream, incarnation, log -> {
            if (segment >= log.openNumber || isNeeded(log, segment)) {
                return Outcome.NOT_APPLICABLE;
            }
            log.sealed.remove(segment);
            log.streams.remove(segment);
            log.startOffset = Math.max(log.startOffset, newStartOffset);
            return Outcome.DONE;
        });
    }

    private static boolean isNeeded(InMemoryLog log, long segment) {
        return log.sealed.headMap(segment).values().stream().anyMatch(older -> older.state() != SegmentState.DROPPED);
    }

    @Override
    public CompletionStage<Integer> pruneWriters(StreamName stream, Predicate<String> expired) {
        return CompletableFuture.completedStage(entries.with(stream, log -> {
            if (log == null) {
                return 0;
            }
            int before = log.writers.size();
            log.writers.values().removeIf(expired);
            return before - log.writers.size();
        }));
    }

    @Override
    public CompletionStage<@Nullable Segment> segment(StreamName stream, long segment) {
        return CompletableFuture.completedStage(entries.<@Nullable Segment>with(stream, log -> {
            if (log == null) {
                return null;
            }
            return log.openNumber == segment ? log.state().open() : log.sealed.get(segment);
        }));
    }
}
