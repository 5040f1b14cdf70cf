package io.korvet.server.config;

import io.korvet.server.config.LoadedConfig.Effective;
import io.korvet.server.topics.TopicConfigs.RemoteTier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Flat keys into the record tree; notes problems instead of stopping at the first. Single use. */
final class ConfigBinder {

    private static final int MOST_LIST_ELEMENTS = 1000;
    private static final Pattern SECRET = Pattern.compile(
            "password|secret|token|key-id|credential|authorization|passphrase", Pattern.CASE_INSENSITIVE);

    /** Secrets inside a value: the user part of a URI, and parameters of one. */
    private static final Pattern USER_PART = Pattern.compile("//[^@/]*@");

    private static final Pattern PARAMETER =
            Pattern.compile("((?:password|secret|token|credential)=)[^&;\\s]*", Pattern.CASE_INSENSITIVE);

    private final Map<String, RawValue> values;
    private final Set<String> used = new HashSet<>();
    private final List<ConfigProblem> problems = new ArrayList<>();
    private final List<Effective> effective = new ArrayList<>();
    private final TopicEntries topics = new TopicEntries();

    ConfigBinder(Map<String, RawValue> values) {
        this.values = values;
    }

    /** The tree; {@code null} when there are problems. */
    @Nullable
    KorvetConfig bind() {
        KorvetConfig config = (KorvetConfig) record(KorvetConfig.class, ConfigSchema.ROOT);
        values.forEach((key, value) -> {
            if (!used.contains(key)) {
                String nearest = ConfigSchema.nearest(key);
                boolean gap = key.replaceAll("\\[\\d+]", "[n]").equals(nearest);
                problems.add(new ConfigProblem(
                        key,
                        shown(key, value.text()),
                        value.source(),
                        gap ? "expected list indexes from 0 on, without a gap" : "no such key",
                        gap ? null : nearest));
            }
        });
        RawValue remotePath = values.get(ConfigSchema.ROOT + ".storage.remote.path");
        topics.check(
                remotePath == null || remotePath.text().isBlank() ? RemoteTier.ABSENT : RemoteTier.CONFIGURED,
                this::add);
        return config;
    }

    List<ConfigProblem> problems() {
        return problems;
    }

    List<Effective> effective() {
        return effective;
    }

    private @Nullable Object record(Class<?> type, String prefix) {
        RecordComponent[] components = type.getRecordComponents();
        @Nullable Object[] arguments = new @Nullable Object[components.length];
        int before = problems.size();
        for (int index = 0; index < components.length; index++) {
            arguments[index] = component(components[index], prefix);
        }
        if (problems.size() > before) {
            return null;
        }
        Object bound = construct(type, components, arguments);
        if (bound instanceof Checked checked) {
            checked.check((holds, key, expected) -> {
                if (!holds) {
                    add(prefix + "." + key, "expected " + expected);
                }
            });
        }
        return bound;
    }

    private static Object construct(Class<?> type, RecordComponent[] components, @Nullable Object[] arguments) {
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            return type.getDeclaredConstructor(types).newInstance(arguments);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + " can't be made", e);
        }
    }

    private @Nullable Object component(RecordComponent component, String prefix) {
        String key = prefix + "." + ConfigSchema.kebab(component.getName());
        Setting setting = component.getAnnotation(Setting.class);
        if (setting != null) {
            return leaf(component, setting, key);
        }
        if (component.isAnnotationPresent(FreeSettings.class)) {
            return freeSettings(key);
        }
        Class<?> element = ConfigSchema.elementType(component);
        if (element != null) {
            return list(element, key);
        }
        return component.getType() == Map.class ? topicSettings(prefix) : record(component.getType(), key);
    }

    private @Nullable Object leaf(RecordComponent component, Setting setting, String key) {
        RawValue value = values.get(key);
        used.add(key);
        boolean blank = value == null || value.text().isBlank();
        if (blank && setting.fallback().isEmpty()) {
            if (setting.fallbackText().equals("required")) {
                add(key, "expected a value; this key is required");
            }
            return null; // an empty text is as good as none, as it is for environment variables
        }
        if (blank && value != null) {
            add(key, "expected a value that is not empty");
            return null;
        }
        RawValue given = value == null ? new RawValue(setting.fallback(), "default") : value;
        Class<?> type = component.getType() == Integer.class ? int.class : component.getType();
        try {
            Object parsed = ValueParser.parse(given.text().strip(), type, setting);
            effective.add(new Effective(key, shown(key, given.text()), given.source()));
            return parsed;
        } catch (IllegalArgumentException e) {
            add(key, String.valueOf(e.getMessage()));
            return null;
        }
    }

    private List<Object> list(Class<?> element, String key) {
        List<Object> elements = new ArrayList<>();
        for (int index = 0; index < MOST_LIST_ELEMENTS; index++) {
            String prefix = key + "[" + index + "]";
            if (values.keySet().stream().noneMatch(name -> name.startsWith(prefix))) {
                break;
            }
            Object bound = record(element, prefix);
            if (bound != null) {
                elements.add(bound);
            }
        }
        return elements;
    }

    private Map<String, String> freeSettings(String prefix) {
        Map<String, String> settings = new LinkedHashMap<>();
        values.forEach((key, value) -> {
            if (key.startsWith(prefix + ".") && key.length() > prefix.length() + 1) {
                used.add(key);
                settings.put(key.substring(prefix.length() + 1), value.text().strip());
                effective.add(new Effective(key, shown(key, value.text()), value.source()));
            }
        });
        return settings;
    }

    private Map<String, String> topicSettings(String prefix) {
        Map<String, String> settings = new LinkedHashMap<>();
        Map<String, String> keys = new LinkedHashMap<>();
        Set<String> bad = new HashSet<>();
        values.forEach((key, value) -> {
            if (!key.startsWith(prefix + ".") || used.contains(key)) {
                return;
            }
            TopicSettingKey.of(key.substring(prefix.length() + 1)).ifPresent(setting -> {
                used.add(key);
                if (keys.put(setting.kafkaName(), key) != null) {
                    add(key, "expected one spelling of " + setting.kafkaName() + ", not two");
                }
                try {
                    settings.put(
                            setting.kafkaName(), setting.kafkaValue(value.text().strip()));
                    effective.add(new Effective(key, value.text(), value.source()));
                } catch (IllegalArgumentException e) {
                    settings.put(setting.kafkaName(), value.text());
                    bad.add(key);
                    add(key, String.valueOf(e.getMessage()));
                }
            });
        });
        RawValue name = values.get(prefix + ".name");
        topics.add(new TopicDefaults(name == null ? "" : name.text().strip(), null, settings), keys, bad);
        return settings;
    }

    private void add(String key, String message) {
        RawValue value = values.get(key);
        problems.add(new ConfigProblem(
                key,
                value == null ? null : shown(key, value.text()),
                value == null ? "default" : value.source(),
                message,
                null));
    }

    /** A value for people: secrets and the credentials inside a URI are masked. */
    private static String shown(String key, String text) {
        if (SECRET.matcher(key).find()) {
            return "***";
        }
        String withoutUser = USER_PART.matcher(text).replaceFirst("//***@");
        return PARAMETER.matcher(withoutUser).replaceAll("$1***");
    }
}
