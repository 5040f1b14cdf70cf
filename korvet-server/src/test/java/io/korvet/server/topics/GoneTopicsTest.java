package io.korvet.server.topics;

import static io.korvet.server.topics.TopicFixture.done;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.korvet.store.TopicCatalog.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the log says of topics that are gone. */
class GoneTopicsTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(CachedTopics.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final TopicFixture broker = new TopicFixture();
    private final List<Topic> topics = new ArrayList<>();

    @BeforeEach
    void start() {
        for (int number = 0; number < 7; number++) {
            topics.add(broker.create("orders" + number, 1));
        }
        logger.setLevel(Level.INFO);
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
        logger.setLevel(null);
    }

    private List<String> told() {
        return lines.list.stream()
                .map(line -> line.getLevel() + " " + line.getKeyValuePairs() + " " + line.getFormattedMessage())
                .toList();
    }

    private void look() {
        broker.scheduler.advance(Duration.ofSeconds(31));
    }

    @Test
    void allAtOnceByNobodyIsAWarningThatNamesTheLikelyCauses() {
        broker.store.empty();
        look();
        look();
        assertThat(told())
                .singleElement()
                .asString()
                .startsWith("WARN [count=\"7\", topics=\"[orders0, orders1, orders2, orders3, orders4]\", left=\"0\"]"
                        + " all topics are gone from Redis, and nobody deleted them")
                .contains("FLUSHALL", "without its data", "another Redis or database");
    }

    @Test
    void someByNobodyAreAWarningToo() {
        broker.store.empty();
        broker.store.topics().add(topics.get(3));
        look();
        assertThat(told())
                .singleElement()
                .asString()
                .startsWith("WARN [count=\"6\"")
                .contains("left=\"1\"] topics are gone from Redis");
    }

    @Test
    void deletionsThroughAnotherBrokerAreALineForEachLook() {
        TopicFixture other = broker.anotherBroker();
        topics.forEach(topic -> done(other.topics.delete(topic)));
        lines.list.clear();
        look();
        assertThat(told())
                .singleElement()
                .asString()
                .startsWith("INFO [count=\"7\"")
                .endsWith("topics are gone, deleted through another broker");
    }

    @Test
    void aDeletionThroughThisBrokerHasNoneButItsOwn() {
        done(broker.topics.delete(topics.get(0)));
        look();
        assertThat(lines.list.stream().map(ILoggingEvent::getFormattedMessage)).containsExactly("topic deleted");
    }
}
