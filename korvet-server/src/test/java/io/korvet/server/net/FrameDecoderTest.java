package io.korvet.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.server.dispatch.RequestObserver;
import io.korvet.server.net.ReadGate.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FrameDecoderTest {

    private static final int MAX_BYTES = 1_000;

    private EmbeddedChannel channel;
    private ReadGate gate;

    @BeforeEach
    void open() {
        channel = new EmbeddedChannel();
        gate = new ReadGate(channel, "broker", RequestObserver.NONE, this::resume);
        channel.pipeline().addLast(new FrameDecoder(MAX_BYTES, gate, new LargeRequests(MAX_BYTES)));
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test
    void cutsRequestsWhereverTheirBytesAreSplit() {
        ByteBuf bytes = Unpooled.buffer()
                .writeInt(3)
                .writeBytes("abc".getBytes(StandardCharsets.UTF_8))
                .writeInt(0)
                .writeInt(2)
                .writeBytes("de".getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < bytes.writerIndex(); i++) {
            channel.writeInbound(bytes.copy(i, 1));
        }
        assertThat(next()).isEqualTo("abc");
        assertThat(next()).isEmpty();
        assertThat(next()).isEqualTo("de");
        assertThat(channel.<Object>readInbound()).isNull();
    }

    @Test
    void takesARequestOfExactlyTheLimit() {
        channel.writeInbound(Unpooled.buffer().writeInt(MAX_BYTES).writeZero(MAX_BYTES));
        assertThat(next()).hasSize(MAX_BYTES);
    }

    @Test
    void closesOnLengthsThatCanNotBe() {
        for (int length : new int[] {-1, Integer.MIN_VALUE, MAX_BYTES + 1, Integer.MAX_VALUE, 0x47455420, 0x16030100}) {
            open();
            channel.writeInbound(Unpooled.buffer().writeInt(length).writeZero(50));
            assertThat(channel.isOpen()).as("length %d", length).isFalse();
            assertThat(channel.<Object>readInbound()).isNull();
        }
    }

    @Test
    void cutsNothingWhileTheGateIsClosedAndAllOfItAfterwards() {
        gate.close(Reason.PENDING_BYTES);
        gate.close(Reason.UNSENT_ANSWERS);
        channel.writeInbound(
                Unpooled.buffer().writeInt(1).writeByte('a').writeInt(1).writeByte('b'));
        assertThat(channel.<Object>readInbound()).isNull();
        assertThat(channel.config().isAutoRead()).isFalse();

        gate.open(Reason.PENDING_BYTES);
        channel.runPendingTasks();
        assertThat(channel.<Object>readInbound()).isNull();

        gate.open(Reason.UNSENT_ANSWERS);
        channel.runPendingTasks();
        assertThat(next()).isEqualTo("a");
        assertThat(next()).isEqualTo("b");
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    private void resume() {
        var context = channel.pipeline().context(FrameDecoder.class);
        try {
            ((FrameDecoder) context.handler()).resume(context);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private String next() {
        ByteBuf frame = channel.readInbound();
        String text = frame.toString(StandardCharsets.UTF_8);
        frame.release();
        return text;
    }
}
