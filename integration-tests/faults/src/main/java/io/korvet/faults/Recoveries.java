package io.korvet.faults;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How long clients took until all made progress again, by kind of fault. */
final class Recoveries {
    private final Map<String, Map<String, List<Long>>> all = new TreeMap<>();

    void add(String fault, String what, long milliseconds) {
        all.computeIfAbsent(fault, key -> new TreeMap<>())
                .computeIfAbsent(what, key -> new ArrayList<>())
                .add(milliseconds);
    }

    /** A table: a row per kind, times in milliseconds as median and maximum. */
    List<String> table() {
        List<String> lines = new ArrayList<>();
        lines.add("| fault | times | producing again | reading again | committing again | outage of producers |");
        lines.add("| --- | ---: | ---: | ---: | ---: | ---: |");
        all.forEach((fault, times) -> lines.add("| " + fault + " | "
                + times.getOrDefault("PRODUCE", List.of()).size() + " | " + show(times, "PRODUCE") + " | "
                + show(times, "READ") + " | " + show(times, "COMMIT") + " | " + show(times, "OUTAGE") + " |"));
        return lines;
    }

    private static String show(Map<String, List<Long>> times, String what) {
        List<Long> sorted = new ArrayList<>(times.getOrDefault(what, List.of()));
        if (sorted.isEmpty()) {
            return "-";
        }
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2) + " / " + sorted.get(sorted.size() - 1);
    }
}
