package io.korvet.server.log;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Recent batches as their producers sent them, so that consumers at the tail cost no read of the store.
 *
 * <p>Bounded in bytes over all partitions; what came first goes first. Each partition's share ({@link Tail}) is one range
 * of offsets without a hole: a batch that doesn't continue it starts a new range, so a served range can never hide
 * somebody else's entry. Thread-safe.
 */
final class TailCache {

    private final long capacity;
    private final AtomicLong bytes = new AtomicLong();
    private final ConcurrentLinkedQueue<Batch> arrivals = new ConcurrentLinkedQueue<>();

    TailCache(long capacity) {
        this.capacity = capacity;
    }

    /** Bytes of all batches that came and have not been pushed out; those of cleared ranges count until then. */
    long bytes() {
        return bytes.get();
    }

    Tail tail() {
        return new Tail(this);
    }

    private void added(Batch batch) {
        arrivals.add(batch);
        long now = bytes.addAndGet(batch.size);
        while (now > capacity) {
            Batch oldest = arrivals.poll();
            if (oldest == null) {
                return;
            }
            oldest.owner.evict(oldest);
            now = bytes.addAndGet(-oldest.size);
        }
    }

    private static final class Batch {
        final Tail owner;
        final long baseOffset;
        final long lastOffset;
        final ByteBuf buffer;
        final int size;

        Batch(Tail owner, long baseOffset, long lastOffset, ByteBuf buffer) {
            this.owner = owner;
            this.baseOffset = baseOffset;
            this.lastOffset = lastOffset;
            this.buffer = buffer;
            this.size = buffer.readableBytes();
        }
    }

    /** One partition's share. */
    static final class Tail {
        private final TailCache cache;
        private final TreeMap<Long, Batch> batches = new TreeMap<>();

        private Tail(TailCache cache) {
            this.cache = cache;
        }

        /**
         * Keeps a batch; takes ownership of the buffer.
         *
         * @param previousLast the offset of the entry before the batch
         */
        void add(long previousLast, long baseOffset, long lastOffset, ByteBuf buffer) {
            Batch batch = new Batch(this, baseOffset, lastOffset, buffer);
            synchronized (this) {
                if (!batches.isEmpty() && batches.lastEntry().getValue().lastOffset != previousLast) {
                    clear();
                }
                batches.put(baseOffset, batch);
            }
            cache.added(batch);
        }

        /**
         * The batches from the one that holds an offset on (or, inside the range, the first after it), as far as the limit
         * goes, at least one; {@code null} when the range doesn't cover the offset. The caller owns the buffers.
         */
        synchronized @Nullable List<ByteBuf> read(long offset, long maxBytes) {
            Map.Entry<Long, Batch> start = batches.floorEntry(offset);
            if (start == null || offset > batches.lastEntry().getValue().lastOffset) {
                return null;
            }
            List<ByteBuf> found = new ArrayList<>();
            long size = 0;
            for (Batch batch : batches.tailMap(start.getKey()).values()) {
                if (batch.lastOffset < offset) {
                    continue;
                }
                size += batch.size;
                if (size > maxBytes && !found.isEmpty()) {
                    break;
                }
                found.add(batch.buffer.retainedSlice());
            }
            return found;
        }

        /** Forgets everything. */
        synchronized void clear() {
            batches.values().forEach(batch -> batch.buffer.release());
            batches.clear();
        }

        private synchronized void evict(Batch batch) {
            if (batches.remove(batch.baseOffset, batch)) {
                batch.buffer.release();
            }
        }
    }
}
