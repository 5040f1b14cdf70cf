package io.korvet.server.log;

import io.korvet.store.AppendBatch.EncodedEntries;
import io.korvet.store.AppendResult;
import io.korvet.store.WriterUpdate;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Batches of one partition that go to the store in one call: what waited while earlier calls were under way.
 *
 * <p>A call has a price of its own, many times that of one entry, so small batches are gathered; all of a shipment is
 * written or nothing. Guarded by its {@link AppendQueue}.
 */
final class Shipment {

    private static final int MOST_ENTRIES = 2_000;
    private static final long MOST_BYTES = 1 << 20;

    /** One producer's batch on its way. */
    static final class Item {
        final IncomingBatch batch;
        final long segmentLimit;
        final int replicas;
        final CompletableFuture<AppendOutcome> answer = new CompletableFuture<>();
        int attempts;
        long baseOffset;
        /** Whether its producer's state has been read from the store for it, since the belief was last thrown away. */
        boolean verified;

        Item(IncomingBatch batch, long segmentLimit, int replicas) {
            this.batch = batch;
            this.segmentLimit = segmentLimit;
            this.replicas = replicas;
        }

        long lastOffset() {
            return baseOffset + batch.count() - 1;
        }
    }

    private final List<Item> items = new ArrayList<>(4);
    private final Map<String, WriterUpdate> writers = new LinkedHashMap<>(4);
    private int entries;
    private long bytes;

    @Nullable
    AppendResult result;

    @Nullable
    Throwable failure;

    List<Item> items() {
        return items;
    }

    boolean isEmpty() {
        return items.isEmpty();
    }

    long bytes() {
        return bytes;
    }

    boolean isAnswered() {
        return result != null || failure != null;
    }

    /** The batch with the same producer and sequence at the same offset, if it travels along. */
    @Nullable
    Item find(IncomingBatch batch, long baseOffset) {
        for (Item item : items) {
            if (item.batch.producerId() == batch.producerId()
                    && item.batch.baseSequence() == batch.baseSequence()
                    && item.baseOffset == baseOffset) {
                return item;
            }
        }
        return null;
    }

    /** Whether one more batch may travel along. */
    boolean takes(Item item) {
        IncomingBatch batch = item.batch;
        return items.isEmpty()
                || (item.replicas == replicas()
                        && batch.shape() == items.get(0).batch.shape()
                        && entries + batch.count() <= MOST_ENTRIES
                        && bytes + batch.entryBytes() <= MOST_BYTES);
    }

    /** How many replicas must have it before its producers are told; 0 for none. */
    int replicas() {
        return items.get(0).replicas;
    }

    void add(Item item) {
        items.add(item);
        entries += item.batch.count();
        bytes += item.batch.entryBytes();
    }

    /** Adds what a producer's state must be before and becomes after; several batches of one producer add up. */
    void update(WriterUpdate update) {
        writers.merge(
                update.writer(),
                update,
                (earlier, later) -> new WriterUpdate(earlier.writer(), earlier.expected(), later.next()));
    }

    List<WriterUpdate> writers() {
        return List.copyOf(writers.values());
    }

    /** The entries of all batches for one attempt; the store releases its share of the buffers. */
    EncodedEntries encoded(ByteBufAllocator allocator) {
        EncodedEntries first = items.get(0).batch.entriesForAttempt();
        if (items.size() == 1) {
            return first;
        }
        CompositeByteBuf all = allocator.compositeBuffer(items.size()).addComponent(true, first.buffer());
        int arguments = first.arguments();
        long least = first.minTimestamp();
        long largest = first.maxTimestamp();
        int largestAt = first.maxTimestampIndex();
        int count = first.count();
        for (Item item : items.subList(1, items.size())) {
            EncodedEntries next = item.batch.entriesForAttempt();
            all.addComponent(true, next.buffer());
            arguments += next.arguments();
            least = Math.min(least, next.minTimestamp());
            if (next.maxTimestamp() > largest) {
                largest = next.maxTimestamp();
                largestAt = count + next.maxTimestampIndex();
            }
            count += next.count();
        }
        return new EncodedEntries(all, first.shape(), arguments, count, bytes, least, largest, largestAt);
    }
}
