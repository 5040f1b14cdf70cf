package io.korvet.server.config;

import io.korvet.server.topics.TopicConfigs;
import io.korvet.server.topics.TopicConfigs.Problem;
import io.korvet.server.topics.TopicConfigs.RemoteTier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The entries of {@code korvet.topics} while they are read, held against what CreateTopics asks of a topic's settings.
 *
 * <p>What topics get is an entry's settings together with those of all entries that fit the same names, over the broker's
 * defaults. Entries that fit some names in common and neither all of the other's are not looked at together: whether there
 * will be a topic of such a name, nobody knows.
 */
final class TopicEntries {

    /** An entry; {@code keys} are those of the file by Kafka's names. */
    private record Entry(TopicDefaults defaults, Map<String, String> keys) {}

    private final List<Entry> entries = new ArrayList<>();
    private final Set<List<String>> told = new HashSet<>();

    /** Takes the next entry, of which {@code bad} keys are told already. */
    void add(TopicDefaults defaults, Map<String, String> keys, Set<String> bad) {
        entries.add(new Entry(defaults, Map.copyOf(keys)));
        bad.forEach(key -> told.add(List.of(key)));
    }

    /** Tells each problem once: the key to blame, and what was expected. The more general entries, usually last, go first. */
    void check(RemoteTier remoteTier, BiConsumer<String, String> problem) {
        TopicConfigs configs = new TopicConfigs(remoteTier);
        for (int index = entries.size() - 1; index >= 0; index--) {
            Entry entry = entries.get(index);
            configs.problems(entry.defaults().settings()).stream()
                    .filter(found -> found.settings().size() == 1)
                    .forEach(found -> tell(found, entry, entry.keys(), problem));
            Map<String, String> settings = new LinkedHashMap<>();
            Map<String, String> keys = new LinkedHashMap<>();
            for (Entry other : entries) {
                if (other.equals(entry)
                        || other.defaults().matches(entry.defaults().name())) {
                    other.defaults().settings().forEach(settings::putIfAbsent);
                    other.keys().forEach(keys::putIfAbsent);
                }
            }
            configs.problems(settings).forEach(found -> tell(found, entry, keys, problem));
        }
    }

    private void tell(Problem found, Entry entry, Map<String, String> keys, BiConsumer<String, String> problem) {
        List<String> involved = found.settings().stream()
                .map(keys::get)
                .filter(Objects::nonNull)
                .toList();
        if (!told.add(involved)) {
            return;
        }
        List<String> others = involved.subList(1, involved.size());
        problem.accept(
                involved.get(0),
                "expected " + found.expected() + " (for topics named "
                        + entry.defaults().name()
                        + (others.isEmpty() ? "" : ", together with " + String.join(" and ", others)) + ")");
    }
}
