package io.korvet.server.topics;

import io.korvet.store.TopicCatalog.Topic;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What must hold for topics; a rule that is broken is an exception of Kafka's with its error code. Pure. */
final class TopicRules {

    /** The most partitions a topic may have. */
    static final int MAX_PARTITIONS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(TopicRules.class);

    /** A topic to be made, defaults filled in. */
    record Plan(int partitions, Map<String, String> config) {}

    private final TopicConfigs configs;
    private final CachedTopics.Options options;

    TopicRules(TopicConfigs configs, CachedTopics.Options options) {
        this.configs = configs;
        this.options = options;
    }

    /** Checks name, partitions and configuration of a topic to be made. */
    Plan plan(String name, int partitions, Map<String, String> config) {
        String problem = TopicNames.problem(name);
        if (problem != null) {
            throw new InvalidTopicException(problem);
        }
        NewTopicDefaults defaults = options.defaults().apply(name);
        int count = partitions != -1
                ? partitions
                : Objects.requireNonNullElse(defaults.partitions(), options.defaultPartitions());
        if (count < 1) {
            throw new InvalidPartitionsException("Number of partitions was " + count + ": expected at least 1.");
        }
        checkMaximum(count);
        Map<String, String> all = new LinkedHashMap<>(defaults.settings());
        all.putAll(config);
        String invalid = configs.problemOnCreate(all);
        if (invalid != null) {
            throw new InvalidConfigurationException(invalid);
        }
        warnOfCompaction(name, Map.of(), all);
        return new Plan(count, all);
    }

    /** Checks that no topic of the name, or of one that collides with it, is there. */
    void checkNameIsFree(String name, TopicView view) {
        if (view.byName(name) != null) {
            throw new TopicExistsException("Topic '" + name + "' already exists.");
        }
        Topic colliding = view.colliding(name);
        if (colliding != null) {
            throw new InvalidTopicException("Topic '" + name + "' collides with existing topic: " + colliding.name());
        }
    }

    /** The topic, which must be there. */
    Topic present(@Nullable Topic topic) {
        if (topic == null) {
            throw new UnknownTopicOrPartitionException();
        }
        return topic;
    }

    /** The topic with more partitions. */
    Topic grown(@Nullable Topic topic, int total) {
        Topic before = present(topic);
        if (total == before.partitions()) {
            throw new InvalidPartitionsException("Topic already has " + total + " partition(s).");
        }
        if (total < before.partitions()) {
            throw new InvalidPartitionsException("The topic " + before.name() + " currently has " + before.partitions()
                    + " partition(s); " + total + " would not be an increase.");
        }
        checkMaximum(total);
        return new Topic(before.name(), before.id(), total, before.config(), before.createdMilliseconds());
    }

    /** The topic with another configuration. */
    Topic changed(@Nullable Topic topic, ConfigChange change) {
        Topic before = present(topic);
        Map<String, String> after = change.apply(before.config());
        String invalid = configs.problemOnChange(before.config(), after);
        if (invalid != null) {
            throw new InvalidConfigurationException(invalid);
        }
        warnOfCompaction(before.name(), before.config(), after);
        return new Topic(before.name(), before.id(), before.partitions(), after, before.createdMilliseconds());
    }

    private static void checkMaximum(int partitions) {
        if (partitions > MAX_PARTITIONS) {
            throw new InvalidPartitionsException("Number of partitions was " + partitions + ": expected at most "
                    + MAX_PARTITIONS + " for a topic.");
        }
    }

    private static void warnOfCompaction(String name, Map<String, String> before, Map<String, String> after) {
        if (compacts(after) && !compacts(before)) {
            LOG.atWarn()
                    .addKeyValue("topic", name)
                    .log("cleanup.policy has compact, which is accepted but not carried out yet: all records stay");
        }
    }

    private static boolean compacts(Map<String, String> config) {
        return config.getOrDefault("cleanup.policy", "").contains("compact");
    }
}
