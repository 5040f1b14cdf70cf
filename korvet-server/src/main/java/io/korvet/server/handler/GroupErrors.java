package io.korvet.server.handler;

import io.korvet.coordinator.GroupError;
import java.util.EnumMap;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;

/** The coordinator's errors as Kafka's codes: they bear the same names. */
final class GroupErrors {

    private static final Map<GroupError, Errors> CODES = new EnumMap<>(GroupError.class);

    static {
        for (GroupError error : GroupError.values()) {
            CODES.put(error, Errors.valueOf(error.name()));
        }
    }

    private GroupErrors() {}

    static Errors of(GroupError error) {
        return CODES.getOrDefault(error, Errors.UNKNOWN_SERVER_ERROR);
    }

    static short code(GroupError error) {
        return of(error).code();
    }
}
