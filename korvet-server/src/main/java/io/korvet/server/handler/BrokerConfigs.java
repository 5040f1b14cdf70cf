package io.korvet.server.handler;

import io.korvet.server.config.KorvetConfig;
import io.korvet.server.topics.TopicConfigs;
import io.korvet.server.topics.TopicSetting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.jspecify.annotations.Nullable;

/**
 * The broker settings that Kafka's tools and clients ask for, under Kafka's names. Read-only: they come from Korvet's
 * configuration at start. Immutable.
 */
public final class BrokerConfigs {

    /**
     * One broker setting.
     *
     * @param name its Kafka name
     * @param type the type of its value
     * @param value what holds
     * @param defaultValue what would hold if nobody had set it
     * @param documentation a sentence for people
     */
    public record Entry(String name, ConfigDef.Type type, String value, String defaultValue, String documentation) {

        /** Whether the configuration says something else than the default. */
        public boolean isSet() {
            return !value.equals(defaultValue);
        }
    }

    private final Map<String, Entry> byName = new LinkedHashMap<>();

    private BrokerConfigs(List<Entry> entries) {
        entries.forEach(entry -> byName.put(entry.name(), entry));
    }

    /** The settings of a broker of this configuration. */
    public static BrokerConfigs of(KorvetConfig config, TopicConfigs topicConfigs) {
        List<Entry> entries = new ArrayList<>();
        int id = config.broker().id();
        entries.add(number("broker.id", id, id, "The number of this broker."));
        entries.add(number("node.id", id, id, "The number of this broker."));
        entries.add(new Entry(
                "broker.rack", ConfigDef.Type.STRING, text(config.broker().rack()), "", "Its rack."));
        entries.add(new Entry(
                "auto.create.topics.enable",
                ConfigDef.Type.BOOLEAN,
                String.valueOf(config.broker().autoCreateTopics()),
                "true",
                "Whether topics that clients ask for are made (korvet.broker.auto-create-topics)."));
        entries.add(number(
                "num.partitions",
                config.broker().defaultPartitions(),
                1,
                "Partitions of a topic made without a number (korvet.broker.default-partitions)."));
        entries.add(number("default.replication.factor", 1, 1, "Without effect: Redis keeps the copies."));
        entries.add(new Entry(
                "delete.topic.enable", ConfigDef.Type.BOOLEAN, "true", "true", "Topics can always be deleted."));
        entries.add(number(
                "group.min.session.timeout.ms",
                config.broker().group().minSessionTimeout().toMillis(),
                6_000,
                "The shortest session timeout that a group member may ask for."));
        entries.add(number(
                "group.max.session.timeout.ms",
                config.broker().group().maxSessionTimeout().toMillis(),
                1_800_000,
                "The longest session timeout that a group member may ask for."));
        entries.add(number(
                "group.initial.rebalance.delay.ms",
                config.broker().rebalanceDelay().toMillis(),
                3_000,
                "How long a new group waits for further members (korvet.broker.rebalance-delay)."));
        entries.add(number(
                "socket.request.max.bytes",
                config.broker().maxRequestBytes(),
                104_857_600,
                "The largest request accepted (korvet.broker.max-request-bytes)."));
        entries.add(
                new Entry("log.retention.hours", ConfigDef.Type.INT, "168", "168", "As log.retention.ms, in hours."));
        entries.add(number(
                "offsets.retention.minutes",
                10_080,
                10_080,
                "How long committed offsets of a group without members are kept."));
        for (TopicSetting setting : topicConfigs.all()) {
            String synonym = setting.synonym();
            if (synonym != null) {
                entries.add(new Entry(
                        synonym,
                        setting.type(),
                        setting.defaultValue(),
                        setting.defaultValue(),
                        "The default of the topic setting " + setting.name() + ". " + setting.documentation()));
            }
        }
        return new BrokerConfigs(entries);
    }

    /** All of them. */
    public List<Entry> all() {
        return List.copyOf(byName.values());
    }

    private static Entry number(String name, long value, long defaultValue, String documentation) {
        return new Entry(name, ConfigDef.Type.LONG, String.valueOf(value), String.valueOf(defaultValue), documentation);
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }
}
