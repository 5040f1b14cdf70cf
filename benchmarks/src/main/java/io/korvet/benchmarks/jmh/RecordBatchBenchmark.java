package io.korvet.benchmarks.jmh;

import io.korvet.protocol.records.RecordBatch;
import io.korvet.protocol.records.RecordBatchWriter;
import io.korvet.protocol.records.RecordCursor;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
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

/** What a record costs on its way in (verify and walk a batch of 500) and out (write such a batch). */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(RecordBatchBenchmark.RECORDS)
public class RecordBatchBenchmark {

    static final int RECORDS = 500;

    private static final long TIMESTAMP = 1_800_000_000_000L;
    private static final int MAX_DECOMPRESSED_BYTES = 16 << 20;
    private static final int LETTERS = 26;

    /** Codec of the batch. */
    @Param({"NONE", "LZ4", "ZSTD"})
    public CompressionType compression = CompressionType.NONE;

    /** Size of each value; its letters are random. */
    @Param({"100", "1024"})
    public int valueBytes = 100;

    private final ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
    private final RecordBatch batch = new RecordBatch();
    private final ByteBuffer key = ByteBuffer.wrap("customer-0000042".getBytes(StandardCharsets.US_ASCII));
    private ByteBuffer value = ByteBuffer.allocate(0);
    private ByteBuf encoded = allocator.directBuffer();
    private ByteBuf out = allocator.directBuffer();

    /** Encodes the batch that is decoded. */
    @Setup(Level.Trial)
    public void prepare() {
        Random random = new Random(valueBytes);
        value = ByteBuffer.allocateDirect(valueBytes);
        while (value.hasRemaining()) {
            value.put((byte) ('a' + random.nextInt(LETTERS)));
        }
        value.flip();
        write(encoded);
    }

    /** Gives the buffers back. */
    @TearDown(Level.Trial)
    public void release() {
        encoded.release();
        out.release();
    }

    /** Checks the batch, its CRC included, and visits each record. */
    @Benchmark
    public long verifyAndWalk() {
        batch.wrap(encoded, 0).verify();
        long sum = 0;
        try (RecordCursor cursor = RecordCursor.open(batch, encoded, allocator, MAX_DECOMPRESSED_BYTES)) {
            while (cursor.next()) {
                sum += cursor.timestamp() + cursor.valueIndex() + cursor.valueLength() + cursor.keyLength();
            }
        }
        return sum;
    }

    /** Writes the batch with its CRC. */
    @Benchmark
    public int write() {
        out.clear();
        return write(out);
    }

    private int write(ByteBuf target) {
        RecordBatchWriter writer = new RecordBatchWriter(target, compression, TimestampType.CREATE_TIME);
        for (int i = 0; i < RECORDS; i++) {
            writer.add(i, TIMESTAMP + i, key, value, null);
        }
        return writer.finish();
    }
}
