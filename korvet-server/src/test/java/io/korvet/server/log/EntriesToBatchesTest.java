package io.korvet.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.DenseEncoding;
import io.korvet.protocol.records.RecordBatch;
import io.korvet.store.EntryFields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EntriesToBatchesTest {

    private final DenseEncoding encoding = new DenseEncoding();
    private final ByteBuf out = Unpooled.buffer();
    private final EntriesToBatches entries = new EntriesToBatches(
            encoding, out, CompressionType.NONE, TimestampType.CREATE_TIME, 0, Long.MAX_VALUE, 10_000);

    @AfterEach
    void release() {
        out.release();
    }

    private void entry(long offset, int field, byte[] bytes) {
        entries.entry(
                encoding.idOf(offset).milliseconds(), encoding.idOf(offset).sequence());
        entries.field(field, ByteBuffer.wrap(bytes));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private int recordsWritten() {
        return new RecordBatch().wrap(out, 0).count();
    }

    @Test
    void anEntryWithHeadersThatAreNoneIsCountedAndLeftOut() {
        entry(0, EntryFields.VALUE, text("before"));
        entry(1, EntryFields.HEADERS, new byte[] {'g', 'a', 'r', 'b', 1});
        entry(2, EntryFields.VALUE, text("after"));
        entries.finish();

        assertThat(entries.lossy()).isEqualTo(1);
        assertThat(entries.records()).isEqualTo(2);
        assertThat(entries.lastSeen()).isEqualTo(2);
        assertThat(recordsWritten()).isEqualTo(2);
    }

    @Test
    void anEntryGivenUpHalfwayIsNotWritten() {
        entry(0, EntryFields.VALUE, text("whole"));
        entry(1, EntryFields.KEY, text("its value never came"));
        entries.abandonEntry();
        entries.finish();

        assertThat(entries.records()).isEqualTo(1);
        assertThat(recordsWritten()).isEqualTo(1);
    }
}
