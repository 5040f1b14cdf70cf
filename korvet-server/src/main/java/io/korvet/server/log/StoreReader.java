package io.korvet.server.log;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.server.topics.TopicSettings;
import io.korvet.store.StreamName;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;

/**
 * Reads a partition's records from the store, segment after segment, straight into record batches.
 *
 * <p>How many entries one call asks for follows from the size of those seen before, so that a full fetch takes one or two
 * calls. Thread-safe.
 */
final class StoreReader {

    private static final int CALLS = 4;
    private static final int MAX_COUNT = 16_384;

    private final StreamName stream;
    private final OffsetEncoding encoding;
    private final Supplier<TopicSettings> settings;
    private final LogContext context;

    StoreReader(StreamName stream, OffsetEncoding encoding, Supplier<TopicSettings> settings, LogContext context) {
        this.stream = stream;
        this.encoding = encoding;
        this.settings = settings;
        this.context = context;
    }

    /**
     * What a read found.
     *
     * @param records one buffer of record batches, or none
     * @param lastOffset the last offset found, -1 for none
     */
    record Found(List<ByteBuf> records, long lastOffset, int averageBytes, int lossy) {
        boolean isEmpty() {
            return records.isEmpty();
        }
    }

    CompletionStage<Found> read(LogView view, long offset, int maxBytes) {
        int limit = Math.min(maxBytes, context.limits().maxReadBytes());
        ByteBuf out = context.allocator().directBuffer(Math.max(256, Math.min(limit, 64 << 10)));
        TopicSettings now = settings.get();
        long until = now.minInsyncReplicas() > 1 ? view.endOffset() : Long.MAX_VALUE;
        EntriesToBatches sink = new EntriesToBatches(
                encoding,
                out,
                compression(now.compression()),
                now.logAppendTime() ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME,
                offset,
                until,
                limit);
        // A piece of the cold tier is answered as it comes: the others may have to wait for their turn.
        int calls = view.tierOf(offset) == Tier.COLD ? 1 : CALLS;
        return step(view, view.indexOf(offset), offset, sink, limit, calls).handle((nothing, failure) -> {
            try {
                if (failure != null) {
                    sink.abandonEntry();
                }
                // What was read before a place that can't be read is good; the next read begins at that place.
                if (failure != null && sink.records() == 0) {
                    throw failure instanceof RuntimeException unchecked
                            ? unchecked
                            : new IllegalStateException(failure);
                }
                sink.finish();
                if (sink.records() == 0) {
                    out.release();
                    return new Found(List.of(), -1, 1, sink.lossy());
                }
                return new Found(List.of(out), Math.min(sink.lastSeen(), until - 1), sink.averageBytes(), sink.lossy());
            } catch (RuntimeException e) {
                out.release();
                throw e;
            }
        });
    }

    private CompletionStage<Integer> step(
            LogView view, int index, long from, EntriesToBatches sink, int limit, int calls) {
        LogView.Part part = view.segments().get(index);
        int average = sink.records() > 0 ? sink.averageBytes() : view.averageEntryBytes();
        int count = Math.max(1, Math.min(MAX_COUNT, (limit - sink.bytesSoFar()) / average + 1));
        boolean open = index == view.segments().size() - 1;
        return context.entries()
                .read(stream, part.number(), encoding.idOf(from), count, sink)
                .thenCompose(read -> read == 0 && !open && from <= part.lastOffset()
                        ? readAgain(part, from, count, sink)
                        : CompletableFuture.completedFuture(read))
                .thenCompose(read -> {
                    sink.flush();
                    if (sink.isFull() || calls <= 1 || sink.bytesSoFar() >= limit / 2) {
                        return CompletableFuture.completedFuture(read);
                    }
                    // Fewer than asked for are no sign of a segment's end: those in a cold tier come in parts.
                    boolean exhausted = read == 0 || (open ? read < count : sink.lastSeen() >= part.lastOffset());
                    if (exhausted && open) {
                        return CompletableFuture.completedFuture(read);
                    }
                    long next = exhausted ? Math.max(from, part.lastOffset() + 1) : sink.lastSeen() + 1;
                    // Empty segments cost no call of their own: only calls that found something are counted.
                    return step(view, exhausted ? index + 1 : index, next, sink, limit, read == 0 ? calls : calls - 1);
                });
    }

    /**
     * Reads once more what should not be empty, after the store was asked how the log is: the segment may have gone to the
     * cold tier while its entries still looked to be in Redis, and must not be passed over.
     */
    private CompletionStage<Integer> readAgain(LogView.Part part, long from, int count, EntriesToBatches sink) {
        return context.entries()
                .state(stream)
                .thenCompose(state -> context.entries().read(stream, part.number(), encoding.idOf(from), count, sink));
    }

    private static CompressionType compression(String setting) {
        return switch (setting) {
            case "gzip" -> CompressionType.GZIP;
            case "snappy" -> CompressionType.SNAPPY;
            case "lz4" -> CompressionType.LZ4;
            case "zstd" -> CompressionType.ZSTD;
            default -> CompressionType.NONE;
        };
    }
}
