package io.korvet.server.topics;

import java.util.Map;
import org.apache.kafka.common.errors.ApiException;

/** A change of a topic's configuration that starts from what is configured at the moment it is made. */
@FunctionalInterface
public interface ConfigChange {

    /**
     * The configuration after the change. May be called more than once and must only look at its argument.
     *
     * @throws ApiException when the change isn't possible; it becomes the outcome
     */
    Map<String, String> apply(Map<String, String> before);
}
