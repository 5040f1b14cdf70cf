package io.korvet.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.server.topics.FakeStore;
import io.korvet.store.MemoryUse;
import io.korvet.store.time.ManualScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryWatchTest {

    private final FakeStore store = new FakeStore();
    private final ManualScheduler scheduler = new ManualScheduler(Instant.EPOCH);
    private final MemoryWatch watch = new MemoryWatch(store, scheduler);

    @Test
    void aStoreThatFillsIsWarnedOfUntilItHasRoomAgain() {
        List<Boolean> filling = new ArrayList<>();
        for (int used : List.of(50, 79, 80, 95, 76, 81, 74, 79, 80)) {
            store.memory = new MemoryUse(used, 100);
            watch.look();
            assertThat(watch.ratio()).isEqualTo(used / 100.0);
            filling.add(watch.isFilling());
        }

        assertThat(filling).containsExactly(false, false, true, true, true, true, false, false, true);
    }

    @Test
    void aStoreThatDoesNotTellIsNotKnown() {
        store.memory = new MemoryUse(90, 0);
        watch.look();
        assertThat(watch.ratio()).isNaN();
        store.memory = new MemoryUse(10, 100);
        watch.look();
        store.down = true;
        watch.look();
        assertThat(watch.ratio()).isNaN();
        assertThat(watch.isFilling()).isFalse();
    }

    @Test
    void itLooksEveryTenSecondsUntilItIsStopped() {
        watch.start();
        store.memory = new MemoryUse(1, 2);
        scheduler.advance(Duration.ofSeconds(10));
        assertThat(watch.ratio()).isEqualTo(0.5);
        watch.stop();
        store.memory = new MemoryUse(2, 2);
        scheduler.advance(Duration.ofMinutes(1));
        assertThat(watch.ratio()).isEqualTo(0.5);
    }
}
