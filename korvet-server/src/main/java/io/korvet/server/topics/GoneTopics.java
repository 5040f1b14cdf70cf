package io.korvet.server.topics;

import io.korvet.store.TopicCatalog.Topic;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * The log's line for topics that are gone from the store without a request to this broker: one for each look, told apart by
 * the catalog's version, which a deletion raises and a loss of data doesn't. Thread-safe.
 */
final class GoneTopics {

    private static final int MOST_NAMES = 5;

    private final Logger log;
    private final Set<String> deleting = ConcurrentHashMap.newKeySet();

    GoneTopics(Logger log) {
        this.log = log;
    }

    /** Deletes a topic for a request to this broker, which has a line of its own. */
    <T> CompletionStage<T> deleting(Topic topic, Supplier<CompletionStage<T>> deletion) {
        deleting.add(topic.id());
        return deletion.get().whenComplete((done, failure) -> deleting.remove(topic.id()));
    }

    /** A later view of the catalog lacks topics of the one before. */
    void tell(List<Topic> gone, TopicView before, TopicView after) {
        List<String> names = gone.stream()
                .filter(topic -> !deleting.contains(topic.id()))
                .map(Topic::name)
                .toList();
        if (names.isEmpty()) {
            return;
        }
        boolean deleted = after.version() - before.version() >= gone.size();
        (deleted ? log.atInfo() : log.atWarn())
                .addKeyValue("count", names.size())
                .addKeyValue("topics", names.subList(0, Math.min(MOST_NAMES, names.size())))
                .addKeyValue("left", after.topics().size())
                .log(
                        deleted
                                ? "topics are gone, deleted through another broker"
                                : (after.topics().isEmpty() ? "all topics" : "topics")
                                        + " are gone from Redis, and nobody deleted them: was it emptied (FLUSHALL,"
                                        + " FLUSHDB), did it come back without its data, or is another Redis or"
                                        + " database at its address?");
    }
}
