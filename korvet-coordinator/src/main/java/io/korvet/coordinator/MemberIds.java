package io.korvet.coordinator;

import java.util.UUID;

/** Makes member ids that nobody has had before. */
@FunctionalInterface
public interface MemberIds {

    /** A new id that starts with the given name. */
    String next(String name);

    /** Ids with a random UUID, as Kafka makes them. */
    static MemberIds random() {
        return name -> name + "-" + UUID.randomUUID();
    }
}
