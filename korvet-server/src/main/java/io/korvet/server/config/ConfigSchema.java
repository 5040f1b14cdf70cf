package io.korvet.server.config;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What keys there are: a walk over {@link KorvetConfig}'s record tree. */
public final class ConfigSchema {

    static final String ROOT = "korvet";

    private ConfigSchema() {}

    /**
     * One known key, for documentation.
     *
     * @param name with {@code [n]} for the index of a list
     * @param fallback the default as written or in words, empty for none
     * @param text what it does
     */
    public record Key(String name, String fallback, String text) {}

    /** All keys, in the order of the records. */
    public static List<Key> keys() {
        List<Key> keys = new ArrayList<>();
        collect(KorvetConfig.class, ROOT, keys);
        return List.copyOf(keys);
    }

    private static void collect(Class<?> type, String prefix, List<Key> keys) {
        for (RecordComponent component : type.getRecordComponents()) {
            String key = prefix + "." + kebab(component.getName());
            Class<?> element = elementType(component);
            Setting setting = component.getAnnotation(Setting.class);
            if (setting != null) {
                String fallback =
                        setting.fallbackText().isEmpty() ? quoted(setting.fallback()) : setting.fallbackText();
                keys.add(new Key(key, fallback, setting.text()));
            } else if (component.isAnnotationPresent(FreeSettings.class)) {
                String text = component.getAnnotation(FreeSettings.class).text();
                keys.add(new Key(key + ".*", "", text));
            } else if (element != null) {
                collect(element, key + "[n]", keys);
            } else if (component.getType().isRecord()) {
                collect(component.getType(), key, keys);
            } else {
                for (TopicSettingKey topic : TopicSettingKey.values()) {
                    topic.spellings()
                            .forEach(spelling -> keys.add(new Key(
                                    prefix + "." + spelling, "", "Topic setting `" + topic.kafkaName() + "`.")));
                }
            }
        }
    }

    private static String quoted(String text) {
        return text.isEmpty() ? "" : "`" + text + "`";
    }

    /** The record type of a list's elements, {@code null} when the component is no list. */
    static @Nullable Class<?> elementType(RecordComponent component) {
        return component.getType() == List.class && component.getGenericType() instanceof ParameterizedType list
                ? (Class<?>) list.getActualTypeArguments()[0]
                : null;
    }

    /** {@code advertisedHost} to {@code advertised-host}. */
    static String kebab(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    /** The known key whose spelling is nearest; {@code null} when none is near. */
    static @Nullable String nearest(String key) {
        String plain = key.replaceAll("\\[\\d+]", "[n]");
        return keys().stream()
                .map(Key::name)
                .min(Comparator.comparingInt(name -> distance(plain, name)))
                .filter(name -> distance(plain, name) <= Math.max(3, name.length() / 3))
                .orElse(null);
    }

    /** {@code korvet.broker.port} to {@code KORVET_BROKER_PORT}. */
    static String variable(String key) {
        return key.replaceAll("[.\\-\\[]", "_").replace("]", "").toUpperCase(Locale.ROOT);
    }

    /** The key that an environment variable sets, by trying the tree; empty when it is none. */
    static Optional<String> keyOfVariable(String variable) {
        String prefix = variable(ROOT) + "_";
        return variable.startsWith(prefix)
                ? keyOfVariable(KorvetConfig.class, ROOT, variable.substring(prefix.length()))
                : Optional.empty();
    }

    private static Optional<String> keyOfVariable(Class<?> type, String key, String rest) {
        for (RecordComponent component : type.getRecordComponents()) {
            String name = kebab(component.getName());
            String variable = variable(name);
            if (component.isAnnotationPresent(FreeSettings.class)) {
                if (rest.startsWith(variable + "_") && rest.length() > variable.length() + 1) {
                    return Optional.of(key + "." + name + "." + freeName(rest.substring(variable.length() + 1)));
                }
            } else if (component.getType() == Map.class) {
                String dashed = rest.toLowerCase(Locale.ROOT).replace('_', '-');
                if (TopicSettingKey.of(dashed).isPresent()) {
                    return Optional.of(key + "." + dashed);
                }
            } else if (component.isAnnotationPresent(Setting.class)) {
                if (rest.equals(variable)) {
                    return Optional.of(key + "." + name);
                }
            } else if (rest.startsWith(variable + "_")) {
                Optional<String> found = within(component, key + "." + name, rest.substring(variable.length() + 1));
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    /** {@code JDBC__USER} to {@code jdbc.user}, {@code IO_IMPL} to {@code io-impl}. */
    private static String freeName(String variable) {
        return variable.toLowerCase(Locale.ROOT).replace("__", ".").replace('_', '-');
    }

    private static Optional<String> within(RecordComponent component, String key, String rest) {
        Class<?> element = elementType(component);
        if (element == null) {
            return keyOfVariable(component.getType(), key, rest);
        }
        String index = rest.replaceFirst("_.*", "");
        return index.matches("\\d{1,3}") && rest.length() > index.length()
                ? keyOfVariable(element, key + "[" + index + "]", rest.substring(index.length() + 1))
                : Optional.empty();
    }

    /** Levenshtein's distance. */
    private static int distance(String left, String right) {
        int[] row = new int[right.length() + 1];
        for (int column = 0; column <= right.length(); column++) {
            row[column] = column;
        }
        for (int line = 1; line <= left.length(); line++) {
            int diagonal = row[0];
            row[0] = line;
            for (int column = 1; column <= right.length(); column++) {
                int swap = diagonal + (left.charAt(line - 1) == right.charAt(column - 1) ? 0 : 1);
                diagonal = row[column];
                row[column] = Math.min(swap, 1 + Math.min(row[column], row[column - 1]));
            }
        }
        return row[right.length()];
    }
}
