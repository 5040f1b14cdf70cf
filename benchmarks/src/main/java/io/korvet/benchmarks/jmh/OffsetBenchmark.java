package io.korvet.benchmarks.jmh;

import io.korvet.offsets.DenseEncoding;
import io.korvet.offsets.OffsetAllocator;
import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.TimeEncoding;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What the offset arithmetic costs per record. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class OffsetBenchmark {

    private static final long NOW = 1_800_000_000_000L;

    /** Which encoding. */
    @Param({"TIME", "DENSE"})
    public OffsetEncoding.Kind kind = OffsetEncoding.Kind.TIME;

    private OffsetEncoding encoding = new TimeEncoding(TimeEncoding.DEFAULT_BITS);
    private long offset = 1;

    /** Picks the encoding and the first offset. */
    @Setup(Level.Trial)
    public void prepare() {
        encoding = switch (kind) {
            case TIME -> new TimeEncoding(TimeEncoding.DEFAULT_BITS);
            case DENSE -> new DenseEncoding();
        };
        offset = OffsetAllocator.next(encoding, OffsetAllocator.NONE, NOW);
    }

    /** Entry id to offset, as a read does for each record. */
    @Benchmark
    public long offsetOfAnEntry() {
        return encoding.offsetOf(encoding.millisecondsOf(offset), encoding.sequenceOf(offset));
    }

    /** The next batch's offset, as an append does once per batch. */
    @Benchmark
    public long nextOffset() {
        offset = OffsetAllocator.next(encoding, offset, NOW);
        return offset;
    }
}
