package io.korvet.server.config;

import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Defaults for new topics whose name matches a pattern: {@code korvet.topics[n]}.
 *
 * <p>{@link #settings} is not one key but all of {@link TopicSettingKey}, beside {@code name} and {@code partitions}; here under
 * Kafka's names with values as Kafka writes them (milliseconds, bytes).
 */
public record TopicDefaults(
        @Setting(
                fallbackText = "required",
                text = "Which topics: a name, `*` standing for any characters and `?` for one.")
        String name,

        @Setting(min = 1, max = 10_000, text = "Partitions of a topic made without a number.") @Nullable
        Integer partitions,

        Map<String, String> settings) {

    /** Copies the map. */
    public TopicDefaults {
        settings = Map.copyOf(settings);
    }

    /** Whether a topic's name fits {@link #name}, or all names that fit a pattern. */
    public boolean matches(String topic) {
        String expression = name.chars()
                .mapToObj(c -> c == '*' ? ".*" : c == '?' ? "[^*]" : Pattern.quote(String.valueOf((char) c)))
                .collect(Collectors.joining());
        return topic.matches(expression);
    }
}
