package io.korvet.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.server.dispatch.RequestObserver;
import io.korvet.server.net.LargeRequests.Turn;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LargeRequestsTest {

    private static final int MEBIBYTE = 1 << 20;

    private final LargeRequests requests = new LargeRequests(100);
    private final List<String> granted = new ArrayList<>();

    private Turn turn(String name, int bytes) {
        return requests.turn(bytes, () -> granted.add(name));
    }

    @Test
    void whatFitsGoesAtOnceAndTheRestInOrder() {
        Turn first = turn("first", 60);
        Turn second = turn("second", 60);
        Turn third = turn("third", 10);
        assertThat(List.of(first.isHad(), second.isHad(), third.isHad())).containsExactly(true, false, false);

        first.end();
        first.end();
        assertThat(granted).containsExactly("second", "third");
        assertThat(turn("fourth", 40).isHad()).isFalse();
    }

    @Test
    void oneOfAnySizeGoesAloneAndOneThatGivesUpLetsTheOthersBy() {
        Turn huge = turn("huge", 1_000);
        Turn givesUp = turn("gives up", 1_000);
        Turn patient = turn("patient", 10);
        assertThat(huge.isHad()).isTrue();

        givesUp.end();
        huge.end();
        assertThat(granted).containsExactly("patient");
        patient.end();
        assertThat(turn("next", 1_000).isHad()).isTrue();
    }

    /** A connection with its own gate. */
    private static EmbeddedChannel connection(LargeRequests shared) {
        EmbeddedChannel channel = new EmbeddedChannel();
        ReadGate gate = new ReadGate(channel, "broker", RequestObserver.NONE, () -> {
            var context = channel.pipeline().context(FrameDecoder.class);
            try {
                ((FrameDecoder) context.handler()).resume(context);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        channel.pipeline().addLast(new FrameDecoder(8 * MEBIBYTE, gate, shared));
        return channel;
    }

    private static ByteBuf start(int length) {
        return Unpooled.buffer().writeInt(length).writeZero(100);
    }

    private static void receive(EmbeddedChannel channel, int length) {
        channel.writeInbound(Unpooled.buffer().writeZero(length - 100));
        ByteBuf frame = channel.readInbound();
        assertThat(frame.readableBytes()).isEqualTo(length);
        frame.release();
    }

    @Test
    void aConnectionWhoseTurnItIsNotIsNotReadUntilItIs() {
        LargeRequests shared = new LargeRequests(3 * MEBIBYTE);
        EmbeddedChannel first = connection(shared);
        EmbeddedChannel second = connection(shared);
        first.writeInbound(start(2 * MEBIBYTE));
        second.writeInbound(start(2 * MEBIBYTE));
        assertThat(first.config().isAutoRead()).isTrue();
        assertThat(second.config().isAutoRead()).isFalse();

        receive(first, 2 * MEBIBYTE);
        second.runPendingTasks();
        assertThat(second.config().isAutoRead()).isTrue();
        receive(second, 2 * MEBIBYTE);
        first.finishAndReleaseAll();
        second.finishAndReleaseAll();
    }

    @Test
    void aConnectionThatGoesGivesItsTurnOn() {
        LargeRequests shared = new LargeRequests(MEBIBYTE);
        EmbeddedChannel first = connection(shared);
        EmbeddedChannel second = connection(shared);
        first.writeInbound(start(2 * MEBIBYTE));
        second.writeInbound(start(2 * MEBIBYTE));
        first.finishAndReleaseAll();

        second.runPendingTasks();
        receive(second, 2 * MEBIBYTE);
        second.finishAndReleaseAll();
    }
}
