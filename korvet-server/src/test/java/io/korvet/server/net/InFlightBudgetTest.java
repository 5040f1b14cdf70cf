package io.korvet.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.server.dispatch.RequestObserver;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InFlightBudgetTest {

    private final InFlightBudget budget = new InFlightBudget(NetOptions.DEFAULTS.withBytes(100, 100, 50));
    private final List<EmbeddedChannel> channels = new ArrayList<>();
    private final List<RequestObserver.Backpressure> seen = new ArrayList<>();

    @AfterEach
    void close() {
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    }

    @Test
    void stopsReadingAboveTheLimitAndResumesAtTheLowerLevel() {
        ReadGate one = gate();
        ReadGate two = gate();
        budget.acquire(100);
        assertThat(one.isClosed()).isFalse();
        budget.acquire(1);
        assertThat(one.isClosed()).isTrue();
        assertThat(two.isClosed()).isTrue();

        budget.release(50);
        assertThat(one.isClosed()).isTrue();
        budget.release(1);
        assertThat(one.isClosed()).isFalse();
        assertThat(two.isClosed()).isFalse();
        assertThat(budget.pendingBytes()).isEqualTo(50);
        assertThat(seen)
                .containsExactly(
                        RequestObserver.Backpressure.PAUSED,
                        RequestObserver.Backpressure.PAUSED,
                        RequestObserver.Backpressure.RESUMED,
                        RequestObserver.Backpressure.RESUMED);
    }

    @Test
    void aConnectionThatComesWhileReadingIsStoppedIsNotRead() {
        budget.acquire(200);
        ReadGate late = gate();
        assertThat(late.isClosed()).isTrue();
        budget.release(200);
        assertThat(late.isClosed()).isFalse();
    }

    @Test
    void manyThreadsNeverLeaveItStoppedWithNothingPending() throws InterruptedException {
        ReadGate gate = gate();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(new Thread(() -> {
                for (int run = 0; run < 20_000; run++) {
                    budget.acquire(60);
                    budget.release(60);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        channels.forEach(EmbeddedChannel::runPendingTasks);
        assertThat(budget.pendingBytes()).isZero();
        assertThat(gate.isClosed()).isFalse();
    }

    private ReadGate gate() {
        EmbeddedChannel channel = new EmbeddedChannel();
        channels.add(channel);
        RequestObserver observer = new RequestObserver() {
            @Override
            public void backpressure(String listener, Backpressure change) {
                seen.add(change);
            }
        };
        ReadGate gate = new ReadGate(channel, "broker", observer, () -> {});
        budget.register(gate);
        return gate;
    }
}
