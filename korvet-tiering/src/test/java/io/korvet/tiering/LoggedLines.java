package io.korvet.tiering;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/** What the storage worker logs at INFO and above, taken instead of printed until it is closed. */
final class LoggedLines implements AutoCloseable {

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(StorageWorker.class);

    LoggedLines() {
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
    }

    /** The lines so far. */
    List<ILoggingEvent> all() {
        return lines.list;
    }

    /** The logger, to change its level. */
    Logger logger() {
        return logger;
    }

    /** The keys and values of a line. */
    static Map<String, Object> said(ILoggingEvent line) {
        return line.getKeyValuePairs().stream().collect(Collectors.toMap(pair -> pair.key, pair -> pair.value));
    }

    @Override
    public void close() {
        logger.detachAppender(lines);
        logger.setLevel(null);
        logger.setAdditive(true);
    }
}
