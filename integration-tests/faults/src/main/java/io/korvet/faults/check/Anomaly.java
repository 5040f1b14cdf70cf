package io.korvet.faults.check;

import java.util.List;

/**
 * A broken rule.
 *
 * @param time microseconds of the monotonic clock
 * @param client whose history shows it
 * @param text what is wrong
 * @param around the events around it
 */
public record Anomaly(Rule rule, long time, String client, String text, List<String> around) {
    /** Copies the list. */
    public Anomaly {
        around = List.copyOf(around);
    }
}
