package io.korvet.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.server.topics.TopicSettings;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AwaitedBatchesTest {

    private static final TopicSettings SETTINGS = TestSettings.dense(1);

    private final AwaitedBatches awaited = new AwaitedBatches();
    private final List<IncomingBatch> batches = new ArrayList<>();

    @AfterEach
    void release() {
        batches.forEach(IncomingBatch::release);
    }

    /** Two records of producer 7. */
    private IncomingBatch batch(int epoch, int sequence) {
        SimpleRecord[] records = {new SimpleRecord(1, null, new byte[1]), new SimpleRecord(1, null, new byte[1])};
        IncomingBatch batch = IncomingBatch.read(
                Unpooled.wrappedBuffer(
                        MemoryRecords.withIdempotentRecords(Compression.NONE, 7, (short) epoch, sequence, records)
                                .buffer()),
                SETTINGS,
                new ManualEntryLog(),
                UnpooledByteBufAllocator.DEFAULT,
                Limits.DEFAULT,
                1);
        batches.add(batch);
        return batch;
    }

    private static ProducerState endedAt(int epoch, int lastSequence) {
        return new ProducerState((short) epoch, 1, List.of(new ProducerState.Batch(lastSequence, lastSequence, 0)));
    }

    @Test
    void theFirstThatFailedComesBeforeAllLaterOnesAndThenTheNext() {
        awaited.failed(batch(0, 12));
        awaited.failed(batch(0, 10));
        assertThat(awaited.before(batch(0, 14), null)).isEqualTo(10);
        assertThat(awaited.before(batch(0, 10), null)).isEqualTo(-1);
        awaited.arrived(batch(0, 8));
        assertThat(awaited.before(batch(0, 12), null)).isEqualTo(10);
        awaited.arrived(batch(0, 10));
        assertThat(awaited.before(batch(0, 14), null)).isEqualTo(12);
        awaited.arrived(batch(0, 12));
        assertThat(awaited.before(batch(0, 14), null)).isEqualTo(-1);
    }

    @Test
    void whatTheLogHasIsNotAwaitedAndWhatItLostIs() {
        awaited.failed(batch(0, 10));
        awaited.failed(batch(0, 12));
        assertThat(awaited.before(batch(0, 16), endedAt(0, 9))).isEqualTo(10);
        assertThat(awaited.before(batch(0, 16), endedAt(0, 11))).isEqualTo(12);
        assertThat(awaited.before(batch(0, 16), endedAt(0, 13))).isEqualTo(-1);
        assertThat(awaited.before(batch(0, 16), endedAt(0, 7))).isEqualTo(10);
    }

    @Test
    void anotherEpochHasNothingToDoWithIt() {
        awaited.failed(batch(1, 10));
        assertThat(awaited.before(batch(2, 12), null)).isEqualTo(-1);
        awaited.failed(batch(0, 4));
        awaited.arrived(batch(0, 12));
        assertThat(awaited.before(batch(1, 12), endedAt(0, 20))).isEqualTo(10);
        awaited.arrived(batch(2, 0));
        assertThat(awaited.before(batch(1, 12), null)).isEqualTo(-1);
    }

    @Test
    void sequencesWrap() {
        awaited.failed(batch(0, Integer.MAX_VALUE - 1));
        awaited.failed(batch(0, 0));
        assertThat(awaited.before(batch(0, 2), endedAt(0, Integer.MAX_VALUE - 2)))
                .isEqualTo(Integer.MAX_VALUE - 1);
        assertThat(awaited.before(batch(0, 2), endedAt(0, Integer.MAX_VALUE))).isZero();
        awaited.arrived(batch(0, Integer.MAX_VALUE - 1));
        assertThat(awaited.before(batch(0, 2), null)).isZero();
    }

    @Test
    void refusalsAreBoundedUntilTheAwaitedBatchShowsUp() {
        awaited.failed(batch(0, 10));
        for (int i = 0; i < 20; i++) {
            assertThat(awaited.refuse(batch(0, 12), null)).isEqualTo(10);
        }
        awaited.failed(batch(0, 12));
        assertThat(awaited.refuse(batch(0, 12), null)).isEqualTo(-1);
        awaited.failed(batch(0, 10));
        assertThat(awaited.refuse(batch(0, 12), null)).isEqualTo(10);
    }
}
