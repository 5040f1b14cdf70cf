package io.korvet.server.log;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;

/**
 * What a read of one partition found.
 *
 * @param error {@link Errors#NONE}, or why nothing could be read
 * @param records record batches in offset order, owned by the caller; the first may begin before the offset asked for
 * @param endOffset the offset after the last record, -1 when not known
 * @param startOffset the first offset readers may have, -1 when not known
 */
public record ReadOutcome(Errors error, List<ByteBuf> records, long endOffset, long startOffset) {

    /** Copies the list. */
    public ReadOutcome {
        records = List.copyOf(records);
    }

    static ReadOutcome of(LogView view, List<ByteBuf> records) {
        return new ReadOutcome(Errors.NONE, records, view.endOffset(), view.startOffset());
    }

    static ReadOutcome failed(Errors error) {
        return new ReadOutcome(error, List.of(), -1, -1);
    }

    /** Bytes of all batches. */
    public int sizeInBytes() {
        int size = 0;
        for (ByteBuf batch : records) {
            size += batch.readableBytes();
        }
        return size;
    }

    /** Lets the batches go. */
    public void release() {
        records.forEach(ByteBuf::release);
    }
}
