package io.korvet.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeyedSerialExecutorTest {

    private final Queue<Runnable> pool = new ArrayDeque<>();
    private final List<String> done = new ArrayList<>();
    private final KeyedSerialExecutor lanes = new KeyedSerialExecutor(pool::add, 3);

    private void runAll() {
        while (!pool.isEmpty()) {
            pool.remove().run();
        }
    }

    @Test
    void tasksOfAKeyRunInOrderOnOneTurn() {
        lanes.offer("a", () -> done.add("a1"));
        lanes.offer("a", () -> done.add("a2"));
        lanes.offer("b", () -> done.add("b1"));
        assertThat(pool).hasSize(2);

        runAll();

        assertThat(done).containsExactly("a1", "a2", "b1");
    }

    @Test
    void taskAddedByATaskRunsAfterIt() {
        lanes.offer("a", () -> {
            lanes.follow("a", () -> done.add("second"));
            done.add("first");
        });

        runAll();

        assertThat(done).containsExactly("first", "second");
    }

    @Test
    void tooManyTasksOfOneKeyAreRefusedButNotWhatFollowsFromOthers() {
        for (int i = 0; i < 3; i++) {
            assertThat(lanes.offer("a", () -> done.add("a"))).isTrue();
        }

        assertThat(lanes.offer("a", () -> done.add("refused"))).isFalse();
        assertThat(lanes.offer("b", () -> done.add("b"))).isTrue();
        lanes.follow("a", () -> done.add("follow"));

        runAll();
        assertThat(done).containsExactly("a", "a", "a", "follow", "b");
    }

    @Test
    void busyKeyLetsOthersHaveATurn() {
        for (int i = 0; i < 100; i++) {
            lanes.follow("busy", () -> done.add("busy"));
        }
        lanes.offer("other", () -> done.add("other"));

        runAll();

        assertThat(done.indexOf("other")).isLessThan(100);
        assertThat(done).hasSize(101);
    }

    @Test
    void stoppedExecutorIsSeenByEveryCaller() {
        KeyedSerialExecutor stopped = new KeyedSerialExecutor(
                task -> {
                    throw new RejectedExecutionException("stopped");
                },
                3);

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> stopped.offer("a", () -> {})).isInstanceOf(RejectedExecutionException.class);
        }
    }

    @Test
    void manyThreadsNeverRunOneKeyTwiceAtATime() throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        KeyedSerialExecutor shared = new KeyedSerialExecutor(threads, 100_000);
        int[] counts = new int[8];
        CountDownLatch all = new CountDownLatch(8 * 4 * 500);
        IntStream.range(0, 4)
                .forEach(thread -> threads.execute(() -> {
                    for (int i = 0; i < 500; i++) {
                        for (int key = 0; key < 8; key++) {
                            int counted = key;
                            shared.offer("key" + key, () -> {
                                counts[counted]++;
                                all.countDown();
                            });
                        }
                    }
                }));

        assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
        threads.shutdownNow();

        assertThat(counts).containsOnly(2_000);
    }
}
