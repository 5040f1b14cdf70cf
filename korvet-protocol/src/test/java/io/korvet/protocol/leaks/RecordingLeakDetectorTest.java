package io.korvet.protocol.leaks;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordingLeakDetectorTest {

    @Test
    void aBufferNobodyReleasesIsReported() {
        assertThat(PooledByteBufAllocator.DEFAULT.buffer(16).refCnt()).isOne();

        List<String> leaks = List.of();
        for (int round = 0; round < 100 && leaks.isEmpty(); round++) {
            System.gc();
            PooledByteBufAllocator.DEFAULT.buffer(16).release();
            leaks = RecordingLeakDetector.drain();
        }

        assertThat(leaks).singleElement().asString().contains("RecordingLeakDetectorTest");
    }
}
