package io.korvet.store.redis;

import io.korvet.store.EntryFields;
import io.korvet.store.EntrySink;
import io.lettuce.core.protocol.RedisStateMachine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What an entry costs between bytes of Redis's protocol and its fields: the answer of a range read decoded into a sink,
 * and the arguments of an append encoded. (In the store's package because both are the store's own affair.)
 */
@NullMarked
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(EntryBenchmark.ENTRIES)
public class EntryBenchmark {

    static final int ENTRIES = 500;

    private static final long MILLISECONDS = 1_800_000_000_000L;
    private static final int ENTRY_OVERHEAD = 128;
    private static final int SHAPE = 1 << EntryFields.VALUE | 1 << EntryFields.TIMESTAMP;

    /** Size of each value. */
    @Param({"100", "1024"})
    public int valueBytes = 100;

    private final ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
    private final RedisStateMachine machine = new RedisStateMachine();
    private ByteBuf answer = allocator.directBuffer();
    private ByteBuf value = allocator.directBuffer();

    /** Writes the answer that is decoded. */
    @Setup(Level.Trial)
    public void prepare() {
        value.writeBytes("v".repeat(valueBytes).getBytes(StandardCharsets.US_ASCII));
        answer.ensureWritable(ENTRIES * (valueBytes + ENTRY_OVERHEAD));
        text("*" + ENTRIES + "\r\n");
        for (int i = 0; i < ENTRIES; i++) {
            text("*2\r\n");
            RespWriter.bulk(answer, MILLISECONDS + "-" + i);
            text("*4\r\n");
            RespWriter.bulk(answer, EntryFields.name(EntryFields.VALUE));
            RespWriter.bulk(answer, value, 0, valueBytes);
            RespWriter.bulk(answer, EntryFields.name(EntryFields.TIMESTAMP));
            RespWriter.bulk(answer, MILLISECONDS);
        }
    }

    /** Gives the buffers back. */
    @TearDown(Level.Trial)
    public void release() {
        machine.close();
        answer.release();
        value.release();
    }

    /** An answer of {@code XRANGE}, field by field into a sink that copies nothing. */
    @Benchmark
    public long decode() {
        Sum sum = new Sum();
        machine.decode(answer.readerIndex(0), new RangeOutput(sum));
        return sum.value;
    }

    /** The entries of an append, value and timestamp each. */
    @Benchmark
    public int encode() {
        RespEntryEncoder encoder = new RespEntryEncoder(allocator, ENTRIES, ENTRIES * valueBytes);
        for (int i = 0; i < ENTRIES; i++) {
            encoder.begin(SHAPE, MILLISECONDS);
            encoder.field(value, 0, valueBytes);
            encoder.field(MILLISECONDS);
        }
        ByteBuf encoded = encoder.finish().buffer();
        int bytes = encoded.readableBytes();
        encoded.release();
        return bytes;
    }

    private void text(String text) {
        answer.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Keeps the compiler from leaving out what is decoded. */
    private static final class Sum implements EntrySink {
        private long value;

        @Override
        public void entry(long milliseconds, long sequence) {
            value += milliseconds + sequence;
        }

        @Override
        public void field(int field, ByteBuffer bytes) {
            value += field + bytes.remaining();
        }
    }
}
