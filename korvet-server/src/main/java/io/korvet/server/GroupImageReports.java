package io.korvet.server;

import io.korvet.coordinator.ImageEvent;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says in the log what happens to the stored members of groups; a store that is away is told once. Thread-safe. */
final class GroupImageReports {

    private static final Logger LOG = LoggerFactory.getLogger(GroupImageReports.class);

    private final AtomicBoolean failing = new AtomicBoolean();

    void report(String group, ImageEvent event) {
        switch (event) {
            case RESTORED ->
                LOG.atDebug().addKeyValue("group", group).log("a group goes on here with the members it had");
            case SAVED -> {
                if (failing.get() && failing.compareAndSet(true, false)) {
                    LOG.atInfo().log("members of groups are stored again");
                }
            }
            case UNSAVED -> {
                if (failing.compareAndSet(false, true)) {
                    LOG.atWarn()
                            .addKeyValue("group", group)
                            .log("members of groups can't be stored; groups go on, and it is tried again, but members"
                                    + " would have to join again if this broker ended now");
                }
            }
            case OVERSIZED ->
                LOG.atWarn()
                        .addKeyValue("group", group)
                        .log("a group is too large for its members to be stored; they will have to join again when"
                                + " another broker takes it over");
            case CLAIMED ->
                LOG.atInfo()
                        .addKeyValue("group", group)
                        .log("a group was taken over by another broker and is let go here");
        }
    }
}
