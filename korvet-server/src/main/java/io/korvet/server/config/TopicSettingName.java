package io.korvet.server.config;

import io.korvet.server.config.Setting.Unit;
import io.korvet.server.topics.TopicConfigs;
import io.korvet.server.topics.TopicConfigs.RemoteTier;
import io.korvet.server.topics.TopicSetting;
import io.korvet.server.topics.TopicSetting.Use;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The spellings of topic settings in {@code korvet.topics[n]}.
 *
 * <p>Kafka's dots are dashes here ({@code retention.ms} is {@code retention-ms}); what Kafka counts in milliseconds can also be
 * written as {@code …-time}. Times take durations and sizes take units.
 */
final class TopicSettingName {

    private static final TopicConfigs CONFIGS = new TopicConfigs(RemoteTier.CONFIGURED);

    private TopicSettingName() {}

    /** The settings that have an effect, as they are documented. */
    static List<TopicSetting> effective() {
        return CONFIGS.all().stream()
                .filter(setting -> setting.use() != Use.NO_EFFECT)
                .toList();
    }

    /** How a setting is written in the file. */
    static List<String> spellings(TopicSetting setting) {
        String dashed = setting.name().replace('.', '-');
        return dashed.endsWith("-ms")
                ? List.of(dashed, dashed.substring(0, dashed.length() - 2) + "time")
                : List.of(dashed);
    }

    /** The Kafka name of a spelling, with dashes or with Kafka's dots; empty when there is no such setting. */
    static Optional<String> kafkaName(String spelling) {
        String dashed = spelling.replace('.', '-');
        return CONFIGS.all().stream()
                .filter(setting -> spellings(setting).contains(dashed))
                .map(TopicSetting::name)
                .findFirst();
    }

    /**
     * A value as Kafka writes it.
     *
     * @throws IllegalArgumentException whose message says what is wrong
     */
    static String kafkaValue(String kafkaName, String text) {
        String value = plain(kafkaName, text);
        String problem = CONFIGS.problemOnCreate(Map.of(kafkaName, value));
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        return value;
    }

    private static String plain(String kafkaName, String text) {
        // -1 and -2 are no amounts but Kafka's "no limit" and "as the total".
        if (text.startsWith("-")) {
            return text;
        }
        if (kafkaName.endsWith(".ms")) {
            Duration duration = ValueParser.duration(text);
            return String.valueOf(duration.toMillis());
        }
        return kafkaName.endsWith(".bytes")
                ? String.valueOf(ValueParser.number(text, Unit.BYTES, 0, Long.MAX_VALUE))
                : text;
    }
}
