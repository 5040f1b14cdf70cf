package io.korvet.server.topics;

import io.korvet.store.TopicCatalog.Topic;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * The topics as this broker sees them: a cached view that follows the store's catalog (within a second for changes made by
 * other brokers, at once for its own), and the ways to change them. Thread-safe; look-ups never leave the process.
 */
public interface Topics {

    /** A topic by name. */
    @Nullable
    Topic byName(String name);

    /** A topic by its id (UUID text). */
    @Nullable
    Topic byId(String id);

    /** All topics. */
    Collection<Topic> all();

    /** The typed settings of a topic in the view. */
    TopicSettings settings(Topic topic);

    /** Reads the catalog again; completes when the view is at least as new as the call. */
    CompletionStage<Void> refresh();

    /**
     * What a change came to.
     *
     * @param error {@link Errors#NONE} when it was made (or, with validation only, could be)
     * @param message for people, {@code null} without an error
     * @param topic the topic after the change, {@code null} with an error
     */
    record Outcome(
            Errors error,
            @Nullable String message,
            @Nullable Topic topic) {}

    /** Makes a topic with its logs; {@code partitions} -1 takes the broker's default. */
    CompletionStage<Outcome> create(String name, int partitions, Map<String, String> config, Mode mode);

    /** Deletes a topic and its logs. */
    CompletionStage<Outcome> delete(Topic topic);

    /** Raises the number of partitions. */
    CompletionStage<Outcome> addPartitions(String name, int total, Mode mode);

    /** Replaces a topic's settings (those that differ from the defaults). */
    CompletionStage<Outcome> alterConfig(String name, Map<String, String> config, Mode mode);

    /** Changes a topic's settings starting from those it has when the change is made, so that none made meanwhile is lost. */
    CompletionStage<Outcome> changeConfig(String name, ConfigChange change, Mode mode);

    /** Whether a change is made or only checked. */
    enum Mode {
        /** Make it. */
        APPLY,
        /** Check it and say what would happen. */
        VALIDATE_ONLY
    }

    /** Called after each change of the view with the topics that are gone (deleted, or replaced by a new incarnation). */
    void onRemoved(Consumer<List<Topic>> listener);
}
