package io.korvet.store.redis;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.AppendBatch;
import io.korvet.store.AppendBatch.EncodedEntries;
import io.korvet.store.AppendBatch.Roll;
import io.korvet.store.WriterUpdate;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/** The arguments of the append script (append.lua names them), written in one go behind each other. */
final class AppendArguments extends CommandArgs<String, String> {

    private static final int FIXED_VALUES = 16;
    private static final int FIXED_BYTES = 640;

    private final AppendBatch batch;
    private final String[] keys;
    private final AtomicBoolean released = new AtomicBoolean();

    AppendArguments(AppendBatch batch, KeySchema schema) {
        super(StringCodec.UTF8);
        this.batch = batch;
        long target = targetSegment(batch);
        String prefix = schema.logPrefix(batch.stream());
        String segment = prefix + target;
        String meta = prefix + "meta";
        String producers = prefix + "producers";
        String segments = prefix + "segments";
        String times = segment + KeySchema.TIMES_SUFFIX;
        this.keys = batch.roll() == Roll.STAY
                ? new String[] {meta, producers, segments, segment, times}
                : new String[] {meta, producers, segments, segment, times, prefix + batch.segment()};
    }

    static long targetSegment(AppendBatch batch) {
        return batch.roll() == Roll.STAY ? batch.segment() : batch.segment() + 1;
    }

    /** The id of one entry of a batch. */
    static StreamEntryId idAt(AppendBatch batch, int index) {
        StreamEntryId first = batch.first();
        long perMillisecond = batch.sequencesPerMillisecond();
        if (index < perMillisecond - first.sequence()) {
            return new StreamEntryId(first.milliseconds(), first.sequence() + index);
        }
        long sequence = first.sequence() + index;
        return new StreamEntryId(first.milliseconds() + sequence / perMillisecond, sequence % perMillisecond);
    }

    /** Gives the entries' buffer back; once is enough, more does no harm. */
    void release() {
        if (released.compareAndSet(false, true)) {
            batch.entries().buffer().release();
        }
    }

    @Override
    public ByteBuffer getFirstEncodedKey() {
        return StringCodec.UTF8.encodeKey(keys[0]);
    }

    @Override
    public int count() {
        return 2
                + keys.length
                + FIXED_VALUES
                + 3 * batch.writers().size()
                + batch.entries().arguments();
    }

    @Override
    public void encode(ByteBuf out) {
        EncodedEntries entries = batch.entries();
        ByteBuf encoded = entries.buffer();
        out.ensureWritable(FIXED_BYTES + encoded.readableBytes());
        RespWriter.bulk(out, Script.APPEND.sha());
        RespWriter.bulk(out, keys.length);
        for (String key : keys) {
            RespWriter.bulk(out, key);
        }
        StreamEntryId first = batch.first();
        StreamEntryId expected = batch.expectedLast();
        RespWriter.bulk(out, batch.incarnation());
        RespWriter.bulk(out, batch.segment());
        RespWriter.bulk(out, expected == null ? "" : expected.toString());
        RespWriter.bulk(out, batch.writers().size());
        RespWriter.bulk(out, first.milliseconds());
        RespWriter.bulk(out, first.sequence());
        RespWriter.bulk(out, batch.sequencesPerMillisecond() - first.sequence());
        RespWriter.bulk(out, batch.sequencesPerMillisecond());
        RespWriter.bulk(out, entries.count());
        RespWriter.bulk(out, entries.bytes());
        RespWriter.bulk(out, entries.minTimestamp());
        RespWriter.bulk(out, entries.maxTimestamp());
        RespWriter.bulk(out, idAt(batch, entries.maxTimestampIndex()).toString());
        RespWriter.bulk(out, entries.shape());
        RespWriter.bulk(out, batch.roll() == Roll.STAY ? "" : Long.toString(targetSegment(batch)));
        RespWriter.bulk(out, batch.nowMilliseconds());
        for (WriterUpdate writer : batch.writers()) {
            RespWriter.bulk(out, writer.writer());
            RespWriter.bulk(out, writer.expected());
            RespWriter.bulk(out, writer.next());
        }
        out.writeBytes(encoded, encoded.readerIndex(), encoded.readableBytes());
    }

    @Override
    public String toString() {
        return "append of " + batch.entries().count() + " entries to " + batch.stream();
    }

    @Override
    public String toCommandString() {
        return toString();
    }
}
