package io.korvet.server.config;

import io.korvet.server.config.Setting.Unit;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The topic settings that {@code korvet.topics[n]} may give new topics, in the spelling of the file.
 *
 * <p>Kafka's dots are dashes here ({@code retention.ms} is {@code retention-ms}); a setting in milliseconds can also be written
 * as {@code …-time}. Times take durations and sizes take units.
 */
enum TopicSettingKey {
    CLEANUP_POLICY("cleanup.policy", Kind.WORD),
    RETENTION_MS("retention.ms", Kind.TIME),
    RETENTION_BYTES("retention.bytes", Kind.SIZE),
    LOCAL_RETENTION_MS("local.retention.ms", Kind.TIME),
    LOCAL_RETENTION_BYTES("local.retention.bytes", Kind.SIZE),
    REMOTE_STORAGE_ENABLE("remote.storage.enable", Kind.WORD),
    SEGMENT_MS("segment.ms", Kind.TIME),
    SEGMENT_BYTES("segment.bytes", Kind.SIZE),
    MAX_MESSAGE_BYTES("max.message.bytes", Kind.SIZE),
    MESSAGE_TIMESTAMP_TYPE("message.timestamp.type", Kind.WORD),
    MESSAGE_TIMESTAMP_BEFORE_MAX_MS("message.timestamp.before.max.ms", Kind.TIME),
    MESSAGE_TIMESTAMP_AFTER_MAX_MS("message.timestamp.after.max.ms", Kind.TIME),
    COMPRESSION_TYPE("compression.type", Kind.WORD),
    MIN_INSYNC_REPLICAS("min.insync.replicas", Kind.NUMBER),
    DELETE_RETENTION_MS("delete.retention.ms", Kind.TIME),
    MIN_COMPACTION_LAG_MS("min.compaction.lag.ms", Kind.TIME),
    MAX_COMPACTION_LAG_MS("max.compaction.lag.ms", Kind.TIME),
    OFFSET_ENCODING("offset.encoding", Kind.WORD),
    OFFSET_SEQUENCE_BITS("offset.sequence.bits", Kind.NUMBER);

    private enum Kind {
        TIME,
        SIZE,
        NUMBER,
        WORD
    }

    private final String kafkaName;
    private final Kind kind;

    TopicSettingKey(String kafkaName, Kind kind) {
        this.kafkaName = kafkaName;
        this.kind = kind;
    }

    /** The key of a spelling, with dashes or with Kafka's dots. */
    static Optional<TopicSettingKey> of(String spelling) {
        String dashed = spelling.replace('.', '-');
        return Arrays.stream(values())
                .filter(key -> key.spellings().contains(dashed))
                .findFirst();
    }

    /** How the key can be written in the file. */
    List<String> spellings() {
        String dashed = kafkaName.replace('.', '-');
        return dashed.endsWith("-ms")
                ? List.of(dashed, dashed.substring(0, dashed.length() - 2) + "time")
                : List.of(dashed);
    }

    /** Kafka's name. */
    String kafkaName() {
        return kafkaName;
    }

    /**
     * The value as Kafka writes it. -1 and -2 (no limit, as the total) pass: what a topic may have, {@link TopicEntries} asks.
     *
     * @throws IllegalArgumentException whose message says what was expected
     */
    String kafkaValue(String text) {
        if (kind != Kind.WORD && text.matches("-[12]")) {
            return text;
        }
        return switch (kind) {
            case TIME -> String.valueOf(ValueParser.duration(text).toMillis());
            case SIZE -> String.valueOf(ValueParser.number(text, Unit.BYTES, 0, Long.MAX_VALUE));
            case NUMBER -> String.valueOf(ValueParser.number(text, Unit.NONE, 0, Integer.MAX_VALUE));
            case WORD -> words(text);
        };
    }

    private static String words(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("expected a value that is not empty");
        }
        return text.replace(" ", "");
    }
}
