package io.korvet.server.log;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.protocol.ProtocolException;
import io.korvet.protocol.records.RecordBatchWriter;
import io.korvet.store.EntryFields;
import io.korvet.store.EntrySink;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.jspecify.annotations.Nullable;

/**
 * Writes entries as they are decoded into Kafka record batches; what doesn't fit the limit is passed over.
 *
 * <p>An entry whose id has no offset in the topic's encoding, or whose headers can't be decoded (another Redis client wrote
 * it), is counted and left out.
 */
final class EntriesToBatches implements EntrySink {

    private static final int RECORD_OVERHEAD = 24;

    private final OffsetEncoding encoding;
    private final ByteBuf out;
    private final RecordBatchWriter writer;
    private final long from;
    private final long until;
    private final int maxBytes;

    private final Parked[] parked = {new Parked(), new Parked(), new Parked()};
    private boolean open;
    private long offset;
    private long entryMilliseconds;
    private long timestamp;

    private int records;
    private int lossy;
    private long lastSeen = -1;
    private long bytesSeen;
    private boolean full;

    /**
     * Takes entries of a range of offsets.
     *
     * @param from the first offset wanted
     * @param until the first offset not wanted any more
     * @param maxBytes about how many bytes
     */
    EntriesToBatches(
            OffsetEncoding encoding,
            ByteBuf out,
            CompressionType compression,
            TimestampType timestampType,
            long from,
            long until,
            int maxBytes) {
        this.encoding = encoding;
        this.out = out;
        this.writer = new RecordBatchWriter(out, compression, timestampType);
        this.from = from;
        this.until = until;
        this.maxBytes = maxBytes;
    }

    /** The bytes of one field of the entry at hand, copied because the record can only be written when all are known. */
    private static final class Parked {
        private byte[] bytes = new byte[256];
        private ByteBuffer view = ByteBuffer.wrap(bytes);
        private int length = -1;

        void take(ByteBuffer value) {
            length = value.remaining();
            if (length > bytes.length) {
                bytes = new byte[Math.max(length, Math.min(Integer.MAX_VALUE - 8, bytes.length * 2))];
                view = ByteBuffer.wrap(bytes);
            }
            value.get(bytes, 0, length);
        }

        @Nullable
        ByteBuffer bufferOrNull() {
            return length < 0 ? null : view.position(0).limit(length);
        }
    }

    @Override
    public void entry(long milliseconds, long sequence) {
        endEntry();
        if (!encoding.fits(milliseconds, sequence)) {
            lossy++;
            passOver(milliseconds);
            return;
        }
        offset = encoding.offsetOf(milliseconds, sequence);
        if (offset >= until) {
            full = true;
            return;
        }
        lastSeen = offset;
        if (full || offset < from) {
            return;
        }
        open = true;
        entryMilliseconds = milliseconds;
        timestamp = Long.MIN_VALUE;
        for (Parked field : parked) {
            field.length = -1;
        }
    }

    private void passOver(long milliseconds) {
        long lastInMillisecond = encoding.sequencesPerMillisecond() - 1;
        if (!full && encoding.fits(milliseconds, lastInMillisecond)) {
            lastSeen = Math.max(lastSeen, encoding.offsetOf(milliseconds, lastInMillisecond));
        }
    }

    @Override
    public void field(int field, ByteBuffer value) {
        if (!open) {
            return;
        }
        switch (field) {
            case EntryFields.VALUE, EntryFields.KEY, EntryFields.HEADERS -> parked[field].take(value);
            case EntryFields.TIMESTAMP -> timestamp = decimal(value);
            default -> {}
        }
    }

    private void endEntry() {
        if (!open) {
            return;
        }
        open = false;
        int size = RECORD_OVERHEAD;
        for (Parked field : parked) {
            size += Math.max(0, field.length);
        }
        bytesSeen += size;
        if (records > 0 && (long) writer.bytesSoFar() + size > maxBytes) {
            full = true;
            lastSeen = offset - 1;
            return;
        }
        try {
            writer.add(
                    offset,
                    timestamp != Long.MIN_VALUE ? timestamp : ownTimestamp(),
                    parked[EntryFields.KEY].bufferOrNull(),
                    parked[EntryFields.VALUE].bufferOrNull(),
                    parked[EntryFields.HEADERS].bufferOrNull());
            records++;
        } catch (ProtocolException e) {
            // Another client wrote headers that are none: one entry must not bar the way to all that follow.
            lossy++;
        }
    }

    /** Gives up the entry at hand, whose fields may not all have come. */
    void abandonEntry() {
        open = false;
    }

    /** What an entry without a timestamp field has: the time in its id, or nothing where ids don't tell time. */
    private long ownTimestamp() {
        return switch (encoding.kind()) {
            case TIME -> entryMilliseconds;
            case DENSE -> -1;
        };
    }

    static long decimal(ByteBuffer digits) {
        long number = 0;
        boolean negative = false;
        for (int i = digits.position(); i < digits.limit(); i++) {
            byte digit = digits.get(i);
            if (digit == '-' && i == digits.position()) {
                negative = true;
            } else if (digit >= '0' && digit <= '9') {
                number = number * 10 + digit - '0';
            } else {
                return Long.MIN_VALUE;
            }
        }
        return negative ? -number : number;
    }

    /** Closes the last batch; more entries may follow from another read. */
    void flush() {
        endEntry();
    }

    /** Ends the batches and hands over the buffer. */
    ByteBuf finish() {
        endEntry();
        writer.finish();
        Arrays.fill(parked, null);
        return out;
    }

    int records() {
        return records;
    }

    /** Entries left out because their ids have no offset or their headers are none. */
    int lossy() {
        return lossy;
    }

    /** Whether the limit was reached. */
    boolean isFull() {
        return full;
    }

    /** The last offset taken (or passed over within the limit), -1 for none. */
    long lastSeen() {
        return lastSeen;
    }

    /** Mean size of the entries seen as records, at least 1. */
    int averageBytes() {
        return records == 0 ? 1 : (int) Math.max(1, bytesSeen / records);
    }

    int bytesSoFar() {
        return writer.bytesSoFar();
    }
}
