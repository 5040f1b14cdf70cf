package io.korvet.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.korvet.store.Stages;
import io.lettuce.core.resource.DefaultClientResources;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What is left of a store that was closed. */
class RedisResourcesIT {

    @Test
    void nothingComplainsWhenAClosedStoreIsCollected() {
        collect(); // what other tests have left is theirs
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(DefaultClientResources.class);
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.WARN);
        try (RedisServerProcess server = RedisServerProcess.start()) {
            WeakReference<RedisStore> closed = closedStore(server);
            await().until(() -> {
                collect();
                return closed.get() == null;
            });
            collect();
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(null);
        }
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .noneMatch(line -> line.contains("was not shut down properly"));
    }

    private static void collect() {
        System.gc();
        System.runFinalization();
    }

    private static WeakReference<RedisStore> closedStore(RedisServerProcess server) {
        RedisStore store = Stages.await(RedisStore.open(RedisStoreOptions.of(server.uri())));
        store.close();
        return new WeakReference<>(store);
    }
}
