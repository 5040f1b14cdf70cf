package io.korvet.server.topics;

import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;

/**
 * One topic setting.
 *
 * @param name its Kafka name
 * @param type the type of its values
 * @param defaultValue its default as text
 * @param validator what holds for values beyond their type, {@code null} for nothing
 * @param importance how much it matters
 * @param use what the broker makes of it
 * @param synonym the broker setting that stands behind it in Kafka, {@code null} for none
 * @param documentation one or two sentences for people
 */
public record TopicSetting(
        String name,
        ConfigDef.Type type,
        String defaultValue,
        ConfigDef.@Nullable Validator validator,
        ConfigDef.Importance importance,
        Use use,
        @Nullable String synonym,
        String documentation) {

    /** What the broker makes of a setting. */
    public enum Use {
        /** It has its effect and can be changed. */
        CHANGEABLE,
        /** It has its effect from the topic's creation on and never changes. */
        FIXED,
        /** It is accepted, checked and shown so that tools find it, and has no effect. */
        NO_EFFECT
    }

    /** What values are good, a phrase to follow "expected". */
    public String expected() {
        String range = String.valueOf(validator).replaceAll("[\\[\\]]", "");
        return switch (type) {
            case BOOLEAN -> "true or false";
            case STRING -> "one of " + range.replace(",", "");
            case LIST -> "a list" + (validator == null ? "" : " of " + range.replace(", ", " and "));
            case INT, LONG -> {
                // Kafka writes "14,..." and "1,...,16".
                String[] ends = range.split(",\\.{3},?", -1);
                long greatest = type == ConfigDef.Type.INT ? Integer.MAX_VALUE : Long.MAX_VALUE;
                yield "a whole number from " + ends[0] + " to " + (ends[1].isEmpty() ? greatest : ends[1]);
            }
            default -> "a number from " + range.replace(",...,", " to ");
        };
    }

    /**
     * A value by its type, checked.
     *
     * @throws ConfigException that names the setting, the value and what was expected
     */
    public Object parse(String value) {
        Object parsed = ConfigDef.parseType(name, value, type);
        if (parsed == null) {
            throw new ConfigException(name, value, "expected a value of type " + type);
        }
        if (validator != null) {
            validator.ensureValid(name, parsed);
        }
        return parsed;
    }
}
