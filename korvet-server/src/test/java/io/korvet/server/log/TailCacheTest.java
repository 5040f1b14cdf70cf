package io.korvet.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TailCacheTest {

    private final TailCache cache = new TailCache(100);
    private final TailCache.Tail tail = cache.tail();

    private static ByteBuf batch(int size) {
        return Unpooled.buffer(size, size).writeZero(size);
    }

    private static int bytes(@Nullable List<ByteBuf> read) {
        int size = Objects.requireNonNull(read).stream()
                .mapToInt(ByteBuf::readableBytes)
                .sum();
        read.forEach(ByteBuf::release);
        return size;
    }

    @Test
    void readsFromTheBatchThatHoldsTheOffset() {
        tail.add(-1, 0, 9, batch(10));
        tail.add(9, 10, 19, batch(20));

        assertThat(bytes(tail.read(0, 1000))).isEqualTo(30);
        assertThat(bytes(tail.read(9, 1000))).isEqualTo(30);
        assertThat(bytes(tail.read(10, 1000))).isEqualTo(20);
        assertThat(tail.read(20, 1000)).isNull();
        tail.clear();
    }

    @Test
    void anOffsetInAGapIsAnsweredFromTheNextBatch() {
        tail.add(-1, 1024, 1030, batch(10));
        tail.add(1030, 4096, 4100, batch(20));

        assertThat(bytes(tail.read(2000, 1000))).isEqualTo(20);
        tail.clear();
    }

    @Test
    void theFirstBatchIsWholeAboveTheLimitAndTheRestIsCut() {
        tail.add(-1, 0, 0, batch(10));
        tail.add(0, 1, 1, batch(10));
        tail.add(1, 2, 2, batch(10));

        assertThat(bytes(tail.read(0, 1))).isEqualTo(10);
        assertThat(bytes(tail.read(0, 20))).isEqualTo(20);
        assertThat(bytes(tail.read(0, 29))).isEqualTo(20);
        tail.clear();
    }

    @Test
    void aBatchThatDoesNotContinueTheRangeStartsANewOne() {
        tail.add(-1, 0, 9, batch(10));
        tail.add(12, 13, 19, batch(10));

        assertThat(tail.read(0, 1000)).isNull();
        assertThat(tail.read(10, 1000)).isNull();
        assertThat(bytes(tail.read(13, 1000))).isEqualTo(10);
        tail.clear();
    }

    @Test
    void whatCameFirstGoesFirstOverAllPartitions() {
        TailCache.Tail other = cache.tail();
        tail.add(-1, 0, 0, batch(40));
        other.add(-1, 0, 0, batch(40));
        tail.add(0, 1, 1, batch(40));

        assertThat(tail.read(0, 1000)).isNull();
        assertThat(bytes(other.read(0, 1000))).isEqualTo(40);
        assertThat(bytes(tail.read(1, 1000))).isEqualTo(40);
        assertThat(cache.bytes()).isEqualTo(80);
        tail.clear();
        other.clear();
    }

    @Test
    void aBatchAboveTheCapacityIsNotKept() {
        tail.add(-1, 0, 0, batch(101));

        assertThat(tail.read(0, 1000)).isNull();
        assertThat(cache.bytes()).isZero();
    }

    @Test
    void rangesClearedOverAndOverStayBounded() {
        for (int i = 0; i < 1_000; i++) {
            tail.add(-1, i * 10L, i * 10L, batch(10));
        }

        assertThat(cache.bytes()).isLessThanOrEqualTo(100);
        assertThat(bytes(tail.read(9_990, 1000))).isEqualTo(10);
        tail.clear();
    }

    @Test
    void aReaderKeepsItsBytesWhenTheBatchGoes() {
        ByteBuf kept = batch(10);
        tail.add(-1, 0, 0, kept);
        List<ByteBuf> read = tail.read(0, 1000);
        tail.clear();

        assertThat(kept.refCnt()).isEqualTo(1);
        assertThat(bytes(read)).isEqualTo(10);
        assertThat(kept.refCnt()).isZero();
    }
}
