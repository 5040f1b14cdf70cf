package io.korvet.server.http;

import java.util.Map;
import java.util.concurrent.CompletionStage;

/** What readiness depends on. */
@FunctionalInterface
public interface HealthChecks {

    /**
     * Looks at everything the broker needs to serve: Redis, its listeners, its registration.
     *
     * @return by component, in the order to show; called at most about once a second, must not block, may take its time
     */
    CompletionStage<Map<String, Health>> readiness();

    /**
     * How one component is.
     *
     * @param up whether it works
     * @param detail what a person wants to know about it, such as an address or a failure; no secrets
     */
    record Health(boolean up, String detail) {

        /** A component that works. */
        public static Health up(String detail) {
            return new Health(true, detail);
        }

        /** A component that doesn't. */
        public static Health down(String detail) {
            return new Health(false, detail);
        }
    }
}
