package io.korvet.server.config;

import io.korvet.server.topics.TopicDefaults;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Defaults for new topics whose name matches a pattern: {@code korvet.topics[n]}.
 *
 * <p>{@link #settings} is not one key but any topic setting ({@link TopicSettingName}) beside {@code name} and
 * {@code partitions}; here under Kafka's names with values as Kafka writes them (milliseconds, bytes).
 */
public record TopicEntry(
        @Setting(
                fallbackText = "required",
                text = "Which topics: a name, `*` standing for any characters and `?` for one.")
        String name,

        @Setting(min = 1, max = 10_000, text = "Partitions of a topic made without a number.") @Nullable
        Integer partitions,

        Map<String, String> settings) {

    /** Copies the map. */
    public TopicEntry {
        settings = Map.copyOf(settings);
    }

    /** The same as the topics take it. */
    public TopicDefaults toDefaults() {
        return new TopicDefaults(name, partitions == null ? -1 : partitions, settings);
    }
}
