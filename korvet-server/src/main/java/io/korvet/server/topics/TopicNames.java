package io.korvet.server.topics;

import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.jspecify.annotations.Nullable;

/** Kafka's rules for names and ids of topics. */
public final class TopicNames {

    private TopicNames() {}

    /** What is wrong with a name (1-249 of letters, digits, {@code .}, {@code _}, {@code -}), or {@code null}. */
    public static @Nullable String problem(@Nullable String name) {
        if (name == null) {
            return "A topic name is missing.";
        }
        try {
            org.apache.kafka.common.internals.Topic.validate(name);
            return null;
        } catch (InvalidTopicException invalid) {
            return invalid.getMessage();
        }
    }

    /** Names with the same key can't stand beside each other: {@code .} and {@code _} are one in metric names. */
    public static String collisionKey(String name) {
        return name.replace('.', '_');
    }

    /** A fresh topic id, as the catalog keeps it. */
    public static String randomId() {
        Uuid id = Uuid.randomUuid();
        return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits()).toString();
    }

    /** A topic id of the catalog as it goes over the wire. */
    public static Uuid wireId(String id) {
        UUID parsed = UUID.fromString(id);
        return new Uuid(parsed.getMostSignificantBits(), parsed.getLeastSignificantBits());
    }

    /** A topic id from the wire as the catalog keeps it. */
    public static String catalogId(Uuid id) {
        return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits()).toString();
    }
}
