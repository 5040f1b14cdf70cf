package io.korvet.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ResponseSequencerTest {

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final AtomicInteger advanced = new AtomicInteger();
    private final ResponseSequencer sequencer = new ResponseSequencer(channel, advanced::incrementAndGet);

    @AfterEach
    void close() {
        sequencer.close();
        channel.finishAndReleaseAll();
    }

    @Test
    void answersWaitForThoseBefore() {
        ResponseSequencer.Place first = sequencer.reserve();
        ResponseSequencer.Place second = sequencer.reserve();
        ResponseSequencer.Place third = sequencer.reserve();

        third.answer(answer(3));
        second.answerNothing();
        assertThat(sent()).isEmpty();
        assertThat(sequencer.size()).isEqualTo(3);

        first.answer(answer(1));
        assertThat(sent()).containsExactly(1, 3);
        assertThat(sequencer.size()).isZero();
        assertThat(advanced).hasValue(1);
    }

    @Test
    void anyOrderOfCompletionGivesTheOrderOfRequests() {
        long seed = System.nanoTime();
        List<ResponseSequencer.Place> places = new ArrayList<>();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            places.add(sequencer.reserve());
            order.add(i);
        }
        Collections.shuffle(order, new Random(seed));
        for (int i : order) {
            places.get(i).answer(answer(i));
        }
        assertThat(sent()).as("seed %d", seed).hasSize(500).isSorted();
    }

    @Test
    void answersFromAnotherThreadAreSentByTheEventLoop() throws InterruptedException {
        ResponseSequencer.Place place = sequencer.reserve();
        Thread other = new Thread(() -> place.answer(answer(1)));
        other.start();
        other.join();
        channel.runPendingTasks();
        assertThat(sent()).containsExactly(1);
    }

    @Test
    void closesTheConnectionWhenItsTurnComes() {
        ResponseSequencer.Place first = sequencer.reserve();
        ResponseSequencer.Place second = sequencer.reserve();
        second.close();
        assertThat(channel.isOpen()).isTrue();
        first.answer(answer(1));
        assertThat(sent()).containsExactly(1);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void onlyTheFirstFillingCounts() {
        ResponseSequencer.Place first = sequencer.reserve();
        ResponseSequencer.Place second = sequencer.reserve();
        ByteBuf late = answer(9);
        second.answer(answer(2));
        second.answer(late);
        second.close();
        first.answer(answer(1));
        assertThat(sent()).containsExactly(1, 2);
        assertThat(channel.isOpen()).isTrue();
        assertThat(late.refCnt()).isZero();
    }

    @Test
    void releasesWhatComesAfterTheConnectionHasGone() {
        ResponseSequencer.Place waiting = sequencer.reserve();
        ByteBuf early = answer(2);
        sequencer.reserve().answer(early);
        sequencer.close();
        assertThat(early.refCnt()).isZero();

        ByteBuf late = answer(1);
        waiting.answer(late);
        ByteBuf later = answer(3);
        sequencer.reserve().answer(later);
        assertThat(late.refCnt()).isZero();
        assertThat(later.refCnt()).isZero();
        assertThat(sent()).isEmpty();
    }

    private static ByteBuf answer(int number) {
        return PooledByteBufAllocator.DEFAULT.buffer().writeInt(number);
    }

    private List<Integer> sent() {
        List<Integer> numbers = new ArrayList<>();
        for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
            numbers.add(out.readInt());
            out.release();
        }
        return numbers;
    }
}
