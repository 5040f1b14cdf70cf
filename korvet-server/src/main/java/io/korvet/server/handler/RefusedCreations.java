package io.korvet.server.handler;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says once per topic why it isn't made for the clients that ask for it, which are told a code only. Thread-safe.
 *
 * <p>Clients ask again and again, and choose the names: {@value #MOST} are remembered, later ones are not said.
 */
final class RefusedCreations {

    static final int MOST = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(RefusedCreations.class);

    private final Set<String> said = new HashSet<>();

    /** Takes a refusal; true when it was said, false when it was before or too many were. */
    synchronized boolean note(String topic, @Nullable String problem) {
        if (said.size() == MOST || !said.add(topic)) {
            return false;
        }
        LOG.atWarn()
                .addKeyValue("topic", topic)
                .log(
                        "not made for a client that asked for it, since korvet.topics gives it impossible settings: {}",
                        problem);
        if (said.size() == MOST) {
            LOG.atWarn().log("{} topics were not made for their settings; further ones are not named here", MOST);
        }
        return true;
    }
}
