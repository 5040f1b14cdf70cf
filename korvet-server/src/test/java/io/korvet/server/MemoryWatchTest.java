package io.korvet.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.korvet.server.topics.FakeStore;
import io.korvet.store.MemoryUse;
import io.korvet.store.time.ManualScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class MemoryWatchTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(MemoryWatch.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final FakeStore store = new FakeStore();
    private final ManualScheduler scheduler = new ManualScheduler(Instant.EPOCH);
    private final MemoryWatch watch = new MemoryWatch(store, scheduler);

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(log);
        logger.setLevel(null);
    }

    @Test
    void aStoreThatFillsIsWarnedOfOnceUntilItHasRoomAgain() {
        for (int used : List.of(50, 79, 80, 95, 78, 81, 74, 80)) {
            store.memory = new MemoryUse(used, 100);
            watch.look();
            assertThat(watch.ratio()).isEqualTo(used / 100.0);
        }

        assertThat(log.list)
                .extracting(ILoggingEvent::getLevel, ILoggingEvent::getFormattedMessage)
                .satisfiesExactly(
                        first -> assertThat(first.toList().toString()).contains("WARN", "80 %", "retention"),
                        second -> assertThat(second.toList().toString()).contains("INFO", "74 %"),
                        third -> assertThat(third.toList().toString()).contains("WARN", "80 %"));
        assertThat(log.list.get(0).getLevel()).isEqualTo(Level.WARN);
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
        assertThat(log.list).filteredOn(event -> event.getLevel() == Level.WARN).isEmpty();
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
