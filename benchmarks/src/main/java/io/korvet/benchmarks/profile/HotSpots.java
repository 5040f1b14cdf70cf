package io.korvet.benchmarks.profile;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Counts collapsed stacks ({@code thread;outer;…;inner count} a line) by thread and by method. */
public final class HotSpots {

    private static final String OURS = "io/korvet/";
    /** In the names of threads of the just-in-time compiler, whose work ends as a run gets longer. */
    private static final String COMPILER = "CompilerThre";

    private final Map<String, Long> threads = new HashMap<>();
    private final Map<String, Long> self = new HashMap<>();
    private final Map<String, Long> ours = new HashMap<>();
    private final Map<String, Long> total = new HashMap<>();
    private long samples;
    private long compiling;

    /** Counts the lines. */
    public static HotSpots of(List<String> collapsed) {
        HotSpots spots = new HotSpots();
        collapsed.stream().filter(line -> !line.isBlank()).forEach(spots::add);
        return spots;
    }

    private void add(String line) {
        int space = line.lastIndexOf(' ');
        long count = Long.parseLong(line.substring(space + 1));
        List<String> frames = List.of(line.substring(0, space).split(";", -1));
        samples += count;
        threads.merge(frames.get(0).replaceAll("\\d+", "#"), count, Long::sum);
        if (frames.get(0).contains(COMPILER)) {
            compiling += count;
            return;
        }
        self.merge(frames.get(frames.size() - 1), count, Long::sum);
        Set<String> seen = new HashSet<>();
        String innermost = "";
        for (String frame : frames.subList(1, frames.size())) {
            if (frame.startsWith(OURS)) {
                innermost = frame;
            }
            if (seen.add(frame)) {
                total.merge(frame, count, Long::sum);
            }
        }
        if (!innermost.isEmpty()) {
            ours.merge(innermost, count, Long::sum);
        }
    }

    /**
     * Four tables in plain text: threads; methods by samples in themselves; methods of Korvet by samples in themselves and
     * in what they call elsewhere; methods by samples in themselves and all they call. Methods are measured by the samples
     * outside the just-in-time compiler.
     */
    public String tables(int rows) {
        return "%d samples%n%s%s%s%s"
                .formatted(
                        samples,
                        table("threads", threads, samples, rows),
                        table("self", self, samples - compiling, rows),
                        table("Korvet's methods with the libraries below them", ours, samples - compiling, rows),
                        table("total", total, samples - compiling, rows));
    }

    private static String table(String title, Map<String, Long> counts, long all, int rows) {
        List<String> lines = new ArrayList<>(List.of("", title));
        counts.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(rows)
                .map(entry ->
                        String.format(Locale.ROOT, "%5.1f %%  %s", 100.0 * entry.getValue() / all, entry.getKey()))
                .forEach(lines::add);
        return String.join(System.lineSeparator(), lines) + System.lineSeparator();
    }
}
