package io.korvet.server.topics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What new topics whose name matches get when their creator doesn't say ({@code korvet.topics[n]}).
 *
 * @param glob the names meant; {@code *} stands for any characters, {@code ?} for one
 * @param partitions how many partitions, -1 for no default here
 * @param config topic settings under their Kafka names
 */
public record TopicDefaults(String glob, int partitions, Map<String, String> config) {

    /** Copies the map and checks the number of partitions. */
    public TopicDefaults {
        config = Map.copyOf(config);
        if (partitions != -1 && partitions < 1) {
            throw new IllegalArgumentException(
                    "topics '" + glob + "' with " + partitions + " partitions: expected at least 1");
        }
    }

    /** Whether these defaults are meant for a topic. */
    public boolean matches(String name) {
        String expression = "\\Q" + glob.replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q") + "\\E";
        return Pattern.matches(expression, name);
    }

    /** All that the list has to say of one topic; per field the first match wins. */
    static TopicDefaults of(String name, List<TopicDefaults> all) {
        int partitions = -1;
        Map<String, String> config = new LinkedHashMap<>();
        for (TopicDefaults defaults : all) {
            if (defaults.matches(name)) {
                partitions = partitions == -1 ? defaults.partitions() : partitions;
                defaults.config().forEach(config::putIfAbsent);
            }
        }
        return new TopicDefaults(name, partitions, config);
    }
}
