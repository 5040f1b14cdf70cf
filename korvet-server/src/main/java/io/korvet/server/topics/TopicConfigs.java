package io.korvet.server.topics;

import io.korvet.offsets.DenseEncoding;
import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.TimeEncoding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All topic settings there are, with the rules by which they are set and read. Immutable and thread-safe.
 *
 * <p>A topic's stored configuration holds what somebody set; everything else has the default of {@link #all}.
 */
public final class TopicConfigs {

    private static final Logger LOG = LoggerFactory.getLogger(TopicConfigs.class);

    private static final String REMOTE = "remote.storage.enable";

    /** Whether sealed segments have somewhere to go. */
    public enum RemoteTier {
        /** {@code remote.storage.enable} may be set. */
        CONFIGURED,
        /** It may not. */
        ABSENT
    }

    private final RemoteTier remoteTier;
    private final Map<String, TopicSetting> byName = new LinkedHashMap<>();

    /** The settings of a broker with or without a remote tier. */
    public TopicConfigs(RemoteTier remoteTier) {
        this.remoteTier = remoteTier;
        TopicSettingTable.ROWS.forEach(setting -> byName.put(setting.name(), setting));
    }

    /** All settings, those that have an effect first. */
    public Collection<TopicSetting> all() {
        return List.copyOf(byName.values());
    }

    /** A setting by its name. */
    public @Nullable TopicSetting setting(String name) {
        return byName.get(name);
    }

    /** The value that holds for a setting: what is configured, else the default. */
    public String value(TopicSetting setting, Map<String, String> config) {
        String value = config.get(setting.name());
        return value == null ? setting.defaultValue() : value;
    }

    /**
     * One rule that a topic's configuration breaks.
     *
     * @param settings the names of the settings it is about, first the one to blame
     * @param expected what would have been right, a phrase to follow "expected"
     * @param message the whole, as clients of Kafka are told
     */
    public record Problem(List<String> settings, String expected, String message) {

        /** Copies the list. */
        public Problem {
            settings = List.copyOf(settings);
        }
    }

    /** Everything that is wrong with the configuration of a topic that is to be made, single values first. */
    public List<Problem> problems(Map<String, String> config) {
        return problems(config, Map.of());
    }

    /** What is wrong with the configuration of a topic that is to be made, or {@code null}. */
    public @Nullable String problemOnCreate(Map<String, String> config) {
        return first(problems(config));
    }

    /** What is wrong with changing a topic's configuration, or {@code null}. */
    public @Nullable String problemOnChange(Map<String, String> before, Map<String, String> after) {
        String problem = first(problems(after, before));
        if (problem != null) {
            return problem;
        }
        for (TopicSetting setting : byName.values()) {
            String was = value(setting, before);
            String becomes = value(setting, after);
            if (setting.use() == TopicSetting.Use.FIXED
                    && !was.equals(becomes)
                    && !setting.parse(was).equals(setting.parse(becomes))) {
                return "Invalid value " + becomes + " for configuration " + setting.name()
                        + ": it is fixed when the topic is created, here to " + was + ".";
            }
        }
        return null;
    }

    private static @Nullable String first(List<Problem> problems) {
        return problems.isEmpty() ? null : problems.get(0).message();
    }

    private List<Problem> problems(Map<String, String> config, Map<String, String> before) {
        List<Problem> found = new ArrayList<>();
        config.forEach((name, value) -> {
            TopicSetting setting = byName.get(name);
            if (setting == null) {
                found.add(new Problem(List.of(name), "a topic setting", "Unknown topic config name: " + name));
                return;
            }
            try {
                setting.parse(value);
            } catch (ConfigException invalid) {
                found.add(new Problem(List.of(name), setting.expected(), String.valueOf(invalid.getMessage())));
            }
        });
        if (remoteTier == RemoteTier.ABSENT && enablesRemote(config) && !enablesRemote(before)) {
            found.add(new Problem(
                    List.of(REMOTE),
                    "false, since there is no remote tier: korvet.storage.remote.path is not set",
                    "Invalid value true for configuration remote.storage.enable: this broker has no remote tier. Set"
                            + " korvet.storage.remote.path (s3://bucket/prefix) and start it again."));
        }
        addContradictions(config, found);
        return found;
    }

    /**
     * Whether records of a topic with this configuration may be in the remote tier. With a tier that holds for every topic,
     * since its configuration may have been another one.
     */
    public boolean mayBeInRemoteTier(Map<String, String> config) {
        return remoteTier == RemoteTier.CONFIGURED || enablesRemote(config);
    }

    private static boolean enablesRemote(Map<String, String> config) {
        return Boolean.parseBoolean(config.getOrDefault(REMOTE, "false").trim());
    }

    /** Settings that are fine alone but not together. */
    private void addContradictions(Map<String, String> config, List<Problem> found) {
        if (enablesRemote(config)) {
            if (areReadable(config, "cleanup.policy")
                    && ((List<?>) parsed("cleanup.policy", config)).contains("compact")) {
                found.add(new Problem(
                        List.of("cleanup.policy", REMOTE),
                        "delete, since remote.storage.enable is true",
                        "Remote log storage is unsupported for the compacted topics"));
            }
            addLocalBeyondTotal("ms", config, found);
            addLocalBeyondTotal("bytes", config, found);
        }
        String minimum = "min.compaction.lag.ms";
        String maximum = "max.compaction.lag.ms";
        if (areReadable(config, minimum, maximum) && number(minimum, config) > number(maximum, config)) {
            found.add(beyond(minimum, maximum, config));
        }
    }

    private void addLocalBeyondTotal(String unit, Map<String, String> config, List<Problem> found) {
        String retention = "retention." + unit;
        String localRetention = "local." + retention;
        if (!areReadable(config, retention, localRetention)) {
            return;
        }
        long total = number(retention, config);
        long local = number(localRetention, config);
        if (total >= 0 && (local > total || local == -1)) {
            found.add(beyond(localRetention, retention, config));
        }
    }

    private Problem beyond(String setting, String bound, Map<String, String> config) {
        String expected = "at most " + bound + ", which is " + number(bound, config);
        List<String> settings =
                bound.startsWith("retention") ? List.of(setting, bound, REMOTE) : List.of(setting, bound);
        return new Problem(
                settings,
                expected,
                "Invalid value " + number(setting, config) + " for configuration " + setting + ": expected " + expected
                        + ".");
    }

    private boolean areReadable(Map<String, String> config, String... names) {
        return Arrays.stream(names).allMatch(name -> !config.containsKey(name) || isReadable(name, config.get(name)));
    }

    /**
     * A topic's settings by their types. Values that can't be understood (written by another version, or by hand) are
     * logged and read as their defaults, so that no topic is lost to one.
     */
    public TopicSettings settings(String topic, Map<String, String> config) {
        Map<String, String> readable = new LinkedHashMap<>();
        config.forEach((name, value) -> {
            if (isReadable(name, value)) {
                readable.put(name, value);
            } else {
                LOG.atWarn()
                        .addKeyValue("topic", topic)
                        .log("ignored the setting {}={}, which this version doesn't understand", name, value);
            }
        });
        if (remoteTier == RemoteTier.ABSENT && enablesRemote(readable)) {
            LOG.atWarn()
                    .addKeyValue("topic", topic)
                    .log("remote.storage.enable is set and this process has no cold tier (korvet.storage.remote.path is"
                            + " not set): nothing is archived by it, and what is archived can't be read through it");
        }
        long retention = number("retention.ms", readable);
        long retentionBytes = number("retention.bytes", readable);
        long localRetention = number("local.retention.ms", readable);
        long localRetentionBytes = number("local.retention.bytes", readable);
        List<?> cleanup = (List<?>) parsed("cleanup.policy", readable);
        return new TopicSettings(
                encoding(readable),
                retention,
                retentionBytes,
                localRetention == -2 ? retention : localRetention,
                localRetentionBytes == -2 ? retentionBytes : localRetentionBytes,
                (Boolean) parsed("remote.storage.enable", readable),
                number("segment.ms", readable),
                number("segment.bytes", readable),
                (int) number("max.message.bytes", readable),
                parsed("message.timestamp.type", readable).equals("LogAppendTime"),
                number("message.timestamp.before.max.ms", readable),
                number("message.timestamp.after.max.ms", readable),
                (String) parsed("compression.type", readable),
                (int) number("min.insync.replicas", readable),
                cleanup.contains("compact"),
                cleanup.contains("delete"));
    }

    private boolean isReadable(String name, String value) {
        TopicSetting setting = byName.get(name);
        if (setting == null) {
            return false;
        }
        try {
            setting.parse(value);
            return true;
        } catch (ConfigException invalid) {
            return false;
        }
    }

    private OffsetEncoding encoding(Map<String, String> config) {
        return parsed("offset.encoding", config).equals("dense")
                ? new DenseEncoding()
                : new TimeEncoding((int) number("offset.sequence.bits", config));
    }

    private long number(String name, Map<String, String> config) {
        return ((Number) parsed(name, config)).longValue();
    }

    private Object parsed(String name, Map<String, String> config) {
        TopicSetting setting = Objects.requireNonNull(byName.get(name), name);
        return setting.parse(value(setting, config));
    }
}
