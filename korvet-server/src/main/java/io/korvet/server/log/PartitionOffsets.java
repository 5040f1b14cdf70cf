package io.korvet.server.log;

import io.korvet.offsets.OffsetEncoding;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Lookups of a partition's offsets in the store, for consumers: nothing is told that they don't see yet. Thread-safe. */
public final class PartitionOffsets {

    private final PartitionLog log;
    private final CopiedEnd copied;
    private final TimestampSearch search;
    private final OffsetEncoding encoding;

    PartitionOffsets(PartitionLog log, CopiedEnd copied, TimestampSearch search, OffsetEncoding encoding) {
        this.log = log;
        this.copied = copied;
        this.search = search;
        this.encoding = encoding;
    }

    /** Where the log starts and ends as far as this process knows, {@code null} before first use. */
    public @Nullable LogBounds known() {
        LogView now = log.view();
        return now == null ? null : new LogBounds(now.startOffset(), now.endOffset());
    }

    /** The number of the segment that holds an offset, or of the open one for an offset at the end. */
    CompletionStage<Long> segmentOf(long offset) {
        LogView now = log.view();
        CompletionStage<LogView> known = now != null ? CompletableFuture.completedFuture(now) : log.refresh();
        return known.thenApply(view -> view.segments().get(view.indexOf(offset)).number());
    }

    /** Where the log starts and ends for consumers, as the store has it now. */
    public CompletionStage<LogBounds> bounds() {
        return log.state().thenCompose(state -> {
            LogView now = LogView.of(state, encoding);
            return copied.upTo(now.logEndOffset()).thenApply(asked -> {
                LogView visible = copied.limit(now);
                return new LogBounds(visible.startOffset(), visible.endOffset());
            });
        });
    }

    /** The first offset from which on all is in Redis (KIP-405: earliest local). */
    public CompletionStage<Long> earliestLocal() {
        return log.state().thenApply(state -> LogView.earliestLocal(state, encoding));
    }

    /** The last offset that is in the cold tier (KIP-1005: latest tiered), -1 for none. */
    public CompletionStage<Long> latestTiered() {
        return log.state().thenApply(state -> LogView.latestTiered(state, encoding));
    }

    /** The first offset whose timestamp is at or above the target. */
    public CompletionStage<TimestampedOffset> offsetAt(long timestamp) {
        return log.state()
                .thenCompose(state -> search.atOrAfter(state, timestamp))
                .thenCompose(this::ifVisible);
    }

    /** The first offset that has the largest timestamp. */
    public CompletionStage<TimestampedOffset> offsetOfLargestTimestamp() {
        return log.state().thenCompose(search::largest).thenCompose(this::ifVisible);
    }

    private CompletionStage<TimestampedOffset> ifVisible(TimestampedOffset found) {
        return copied.upTo(found.offset() + 1)
                .thenApply(asked -> copied.shows(found.offset()) ? found : TimestampedOffset.NONE);
    }
}
