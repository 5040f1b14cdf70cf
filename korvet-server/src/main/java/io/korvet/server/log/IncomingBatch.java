package io.korvet.server.log;

import io.korvet.protocol.ProtocolException;
import io.korvet.protocol.records.RecordBatch;
import io.korvet.protocol.records.RecordCursor;
import io.korvet.server.topics.TopicSettings;
import io.korvet.store.AppendBatch.EncodedEntries;
import io.korvet.store.EntryEncoder;
import io.korvet.store.EntryFields;
import io.korvet.store.EntryLog;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.apache.kafka.common.protocol.Errors;

/**
 * A producer's record batch after all checks that need no state, with its records already written as the store's entries.
 *
 * <p>Holds the encoded entries until {@link #release()}; the batch's own bytes belong to the request.
 */
final class IncomingBatch {

    /** Redis before 7.0 takes about a million arguments per command; this many records stay below it in any shape. */
    static final int MAX_RECORDS = 200_000;

    private final RecordBatch header;
    private final ByteBuf bytes;
    private final EncodedEntries entries;
    private final long appendTime;

    private IncomingBatch(RecordBatch header, ByteBuf bytes, EncodedEntries entries, long appendTime) {
        this.header = header;
        this.bytes = bytes;
        this.entries = entries;
        this.appendTime = appendTime;
    }

    /**
     * Checks one partition's records of a produce request and encodes them.
     *
     * @param records exactly one batch; must stay readable until the append is answered
     * @param now the broker's time in milliseconds
     * @throws ProtocolException with Kafka's error code and what is wrong
     */
    static IncomingBatch read(
            ByteBuf records,
            TopicSettings settings,
            EntryLog log,
            ByteBufAllocator allocator,
            Limits limits,
            long now) {
        RecordBatch header = new RecordBatch().wrap(records, records.readerIndex());
        int size = header.sizeInBytes();
        if (size > settings.maxMessageBytes()) {
            throw new ProtocolException(
                    Errors.MESSAGE_TOO_LARGE,
                    "batch of " + size + " bytes: the topic's max.message.bytes is " + settings.maxMessageBytes());
        }
        header.verify();
        if (size != records.readableBytes()) {
            throw new ProtocolException(
                    Errors.INVALID_RECORD,
                    "records of " + records.readableBytes() + " bytes where the first batch has " + size
                            + ": expected exactly one batch");
        }
        if (header.isControl()) {
            throw new ProtocolException(Errors.INVALID_RECORD, "control batch from a client: only brokers write them");
        }
        if (header.isTransactional()) {
            throw new ProtocolException(
                    Errors.INVALID_TXN_STATE, "transactional batch: no transaction is open for this producer");
        }
        if (header.count() > MAX_RECORDS) {
            throw new ProtocolException(
                    Errors.MESSAGE_TOO_LARGE, "batch of " + header.count() + " records: at most " + MAX_RECORDS);
        }
        long appendTime = settings.logAppendTime() ? now : -1;
        EntryEncoder encoder = log.encoder(header.count(), size);
        boolean done = false;
        try (RecordCursor cursor = RecordCursor.open(header, records, allocator, limits.maxDecompressedBytes())) {
            while (cursor.next()) {
                encode(cursor, encoder, settings, appendTime, now);
            }
            EncodedEntries entries = encoder.finish();
            done = true;
            return new IncomingBatch(header, records, entries, appendTime);
        } finally {
            if (!done) {
                encoder.discard();
            }
        }
    }

    private static void encode(
            RecordCursor cursor, EntryEncoder encoder, TopicSettings settings, long appendTime, long now) {
        int keyLength = cursor.keyLength();
        int valueLength = cursor.valueLength();
        int headersLength = cursor.headersLength();
        long timestamp = appendTime >= 0 ? appendTime : cursor.timestamp();
        if (appendTime < 0) {
            checkTimestamp(timestamp, settings, now);
        }
        if (keyLength < 0 && settings.compacted()) {
            throw new ProtocolException(
                    Errors.INVALID_RECORD, "record without a key: a compacted topic needs one in every record");
        }
        int shape = 1 << EntryFields.TIMESTAMP
                | (valueLength >= 0 ? 1 << EntryFields.VALUE : 0)
                | (keyLength >= 0 ? 1 << EntryFields.KEY : 0)
                | (headersLength > 0 ? 1 << EntryFields.HEADERS : 0);
        encoder.begin(shape, timestamp);
        ByteBuf buffer = cursor.buffer();
        if (valueLength >= 0) {
            encoder.field(buffer, cursor.valueIndex(), valueLength);
        }
        if (keyLength >= 0) {
            encoder.field(buffer, cursor.keyIndex(), keyLength);
        }
        if (headersLength > 0) {
            encoder.field(buffer, cursor.headersIndex(), headersLength);
        }
        encoder.field(timestamp);
    }

    private static void checkTimestamp(long timestamp, TopicSettings settings, long now) {
        long age = now - timestamp;
        if (timestamp >= 0
                && (age > settings.timestampBeforeMaxMilliseconds()
                        || -age > settings.timestampAfterMaxMilliseconds())) {
            throw new ProtocolException(
                    Errors.INVALID_TIMESTAMP,
                    "timestamp " + timestamp + ": expected within message.timestamp.before.max.ms="
                            + settings.timestampBeforeMaxMilliseconds() + " before and message.timestamp.after.max.ms="
                            + settings.timestampAfterMaxMilliseconds() + " after " + now);
        }
    }

    int count() {
        return header.count();
    }

    int sizeInBytes() {
        return header.sizeInBytes();
    }

    boolean isIdempotent() {
        return header.producerId() >= 0;
    }

    long producerId() {
        return header.producerId();
    }

    short producerEpoch() {
        return header.producerEpoch();
    }

    int baseSequence() {
        return header.baseSequence();
    }

    /** The append time, or -1 where records keep their own timestamps. */
    long appendTime() {
        return appendTime;
    }

    /** Bytes of all fields, the measure for segment sizes. */
    long entryBytes() {
        return entries.bytes();
    }

    /** The fields that every entry has, or 0 where they differ. */
    int shape() {
        return entries.shape();
    }

    /** The entries for one attempt to append them; the store releases its share of the buffer. */
    EncodedEntries entriesForAttempt() {
        return new EncodedEntries(
                entries.buffer().retainedDuplicate(),
                entries.shape(),
                entries.arguments(),
                entries.count(),
                entries.bytes(),
                entries.minTimestamp(),
                entries.maxTimestamp(),
                entries.maxTimestampIndex());
    }

    /** A copy of the producer's bytes as consumers get them: at their offset, with the append time where it counts. */
    ByteBuf copyAt(long baseOffset, ByteBufAllocator allocator) {
        ByteBuf copy = allocator.directBuffer(sizeInBytes(), sizeInBytes());
        copy.writeBytes(bytes, header.index(), sizeInBytes());
        RecordBatch.patch(copy, 0, baseOffset, 0);
        if (appendTime >= 0) {
            RecordBatch.patchAppendTime(copy, 0, appendTime);
        }
        return copy;
    }

    /** Lets the encoded entries go. */
    void release() {
        entries.buffer().release();
    }
}
