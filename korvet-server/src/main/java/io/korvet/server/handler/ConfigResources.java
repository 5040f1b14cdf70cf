package io.korvet.server.handler;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.protocol.Errors;

/** The rules that both ways of altering settings share. */
final class ConfigResources {

    /**
     * What came of altering one resource.
     *
     * @param error {@link Errors#NONE} when it was done
     * @param message for people, empty without an error
     */
    record Result(Errors error, String message) {

        /** The result of a refusal. */
        static Result of(ApiException refusal) {
            String message = refusal.getMessage();
            return new Result(Errors.forException(refusal), message == null ? "" : message);
        }
    }

    private final Set<String> seen = new HashSet<>();
    private final Set<String> repeated = new HashSet<>();

    /** Notes a resource of the request. */
    void note(byte type, String name) {
        if (!seen.add(type + ":" + name)) {
            repeated.add(type + ":" + name);
        }
    }

    /** Refuses what can't be altered: resources named twice, settings named twice, brokers, unknown types. */
    void check(byte type, String name, Collection<String> settings) {
        if (repeated.contains(type + ":" + name)) {
            throw new InvalidRequestException("Each resource must appear at most once.");
        }
        if (new HashSet<>(settings).size() < settings.size()) {
            throw new InvalidRequestException("A setting appears more than once: " + settings);
        }
        ConfigResource.Type resource = ConfigResource.Type.forId(type);
        if (resource == ConfigResource.Type.BROKER) {
            throw new InvalidRequestException("Broker settings can't be changed while the broker runs; they are read"
                    + " from Korvet's configuration at its start: " + settings);
        }
        if (resource != ConfigResource.Type.TOPIC) {
            throw new InvalidRequestException(
                    "Resources of type " + resource + " (" + type + ") have no settings here: expected TOPIC.");
        }
    }
}
