package io.korvet.server.config;

import io.korvet.server.topics.NewTopicDefaults;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Everything a Korvet process can be told: the root of the tree under the key {@code korvet}.
 *
 * <p>What each component means stands in its {@link Setting}, from which docs/configuration.md is checked.
 */
public record KorvetConfig(
        @Setting(
                fallback = "korvet",
                text = "Prefix of every Redis key. The same on all brokers of a cluster; no `{`, `}` or white space.")
        String namespace,

        BrokerConfig broker,
        RedisConfig redis,
        StorageConfig storage,
        List<TopicDefaults> topics,
        AdminConfig admin)
        implements Checked {

    /** Copies the list. */
    public KorvetConfig {
        topics = List.copyOf(topics);
    }

    /** The configuration with nothing set. */
    public static KorvetConfig defaults() {
        return of(Map.of());
    }

    /**
     * The defaults with some keys set, for embedding and tests.
     *
     * @param settings key to value as in {@code --set}, with or without the leading {@code korvet.}
     * @throws ConfigException naming all problems
     */
    public static KorvetConfig of(Map<String, String> settings) {
        return new ConfigReader().settings(settings).read().config();
    }

    /** The same with another Redis. */
    public KorvetConfig withRedis(RedisConfig other) {
        return new KorvetConfig(namespace, broker, other, storage, topics, admin);
    }

    /**
     * The defaults for a new topic of this name: of each field the first entry of {@link #topics()} that matches and has it.
     *
     * @return settings under Kafka's names and, maybe, a number of partitions
     */
    public NewTopicDefaults defaultsFor(String topic) {
        Integer partitions = null;
        Map<String, String> settings = new LinkedHashMap<>();
        for (TopicDefaults entry : topics) {
            if (entry.matches(topic)) {
                partitions = partitions == null ? entry.partitions() : partitions;
                entry.settings().forEach(settings::putIfAbsent);
            }
        }
        return new NewTopicDefaults(partitions, Map.copyOf(settings));
    }

    @Override
    public void check(Check check) {
        check.that(
                broker.enabled() || storage.worker().enabled(),
                "broker.enabled",
                "true, or korvet.storage.worker.enabled=true: with both off this process has nothing to do");
        check.that(
                namespace.matches("[^\\s{}]+"),
                "namespace",
                "at least one character, and none of '{', '}' and white space");
        check.that(
                !admin.enabled()
                        || admin.port() == 0
                        || !broker.enabled()
                        || broker.allListeners().stream().noneMatch(listener -> listener.port() == admin.port()),
                "admin.port",
                "a port that no Kafka listener of this broker has, as one has " + admin.port());
    }
}
