package io.korvet.store;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The topics of a namespace. A topic is there from the moment its row is written; its logs are made before and removed
 * after. Thread-safe.
 */
public interface TopicCatalog {

    /**
     * One topic.
     *
     * @param name its name
     * @param id a random id (UUID text) that no other topic ever has, the incarnation of its logs
     * @param partitions how many logs, numbered from 0
     * @param config settings that differ from the defaults
     * @param createdMilliseconds when it was made
     */
    record Topic(String name, String id, int partitions, Map<String, String> config, long createdMilliseconds) {
        /** Copies the map and checks the number of partitions. */
        public Topic {
            config = Map.copyOf(config);
            if (partitions < 1) {
                throw new IllegalArgumentException(
                        "topic '" + name + "' with " + partitions + " partitions: expected at least 1");
            }
        }
    }

    /** All topics at one moment; the version grows with every change. */
    record Snapshot(long version, List<Topic> topics) {
        /** Copies the list. */
        public Snapshot {
            topics = List.copyOf(topics);
        }
    }

    /** The version of the catalog, cheap enough to be asked often. */
    CompletionStage<Long> version();

    /** All topics. */
    CompletionStage<Snapshot> snapshot();

    /** Adds a topic; false when the name is taken. */
    CompletionStage<Boolean> add(Topic topic);

    /** Puts a topic in the place of one that must still be exactly {@code expected}; false when it isn't. */
    CompletionStage<Boolean> replace(Topic expected, Topic replacement);

    /**
     * Removes a topic and remembers it as one whose logs are still to be removed; answers the removed topic or
     * {@code null} when no topic of this name and id is there.
     */
    CompletionStage<@Nullable Topic> remove(String name, String id);

    /** Topics removed whose logs may still be there. */
    CompletionStage<List<Topic>> removed();

    /** Forgets a removed topic once its logs are gone. */
    CompletionStage<Void> forget(Topic removed);
}
