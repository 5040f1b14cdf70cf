package io.korvet.faults.check;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The anomalies found so far: all are counted, the first of each rule are kept with the events around them. */
public final class Anomalies {
    private static final int KEPT_PER_RULE = 20;

    private final Map<Rule, Integer> counts = new EnumMap<>(Rule.class);
    private final List<Anomaly> kept = new ArrayList<>();

    /** Adds one; what is around it is asked for only when it is kept. */
    public void add(Rule rule, long time, String client, String text, Supplier<List<String>> around) {
        if (counts.merge(rule, 1, Integer::sum) <= KEPT_PER_RULE) {
            kept.add(new Anomaly(rule, time, client, text, around.get()));
        }
    }

    /** How many of each rule. */
    public Map<Rule, Integer> counts() {
        return Map.copyOf(counts);
    }

    /** Those that were kept. */
    public List<Anomaly> kept() {
        return List.copyOf(kept);
    }

    /** Whether no rule was broken. */
    public boolean none() {
        return counts.isEmpty();
    }
}
