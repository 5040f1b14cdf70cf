package io.korvet.it.scale;

import io.korvet.it.broker.RedisProcess;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What Redis has been asked so far.
 *
 * @param byCommand calls by command, those inside scripts among them
 * @param processorSeconds processor time of the Redis process
 * @param memoryBytes memory that Redis has given out
 */
record Calls(Map<String, Long> byCommand, double processorSeconds, long memoryBytes) {

    private static final Pattern CALLS = Pattern.compile("cmdstat_([^:]+):calls=(\\d+)");

    /** Asks Redis. */
    static Calls of(RedisProcess redis) {
        Map<String, Long> calls = new TreeMap<>();
        Matcher matcher = CALLS.matcher(redis.command("INFO commandstats"));
        while (matcher.find()) {
            calls.put(matcher.group(1), Long.parseLong(matcher.group(2)));
        }
        String processor = redis.command("INFO cpu");
        return new Calls(calls, value(processor, "used_cpu_user") + value(processor, "used_cpu_sys"), (long)
                value(redis.command("INFO memory"), "used_memory"));
    }

    private static double value(String page, String name) {
        return page.lines()
                .filter(line -> line.startsWith(name + ":"))
                .mapToDouble(line ->
                        Double.parseDouble(line.substring(name.length() + 1).strip()))
                .findFirst()
                .orElseThrow();
    }

    /** Calls since an earlier look, this look's own left out. */
    Calls since(Calls earlier) {
        Map<String, Long> difference = new TreeMap<>();
        byCommand.forEach((command, calls) -> {
            long more = calls - earlier.byCommand.getOrDefault(command, 0L);
            if (more > 0 && !command.equals("info") && !command.equals("quit")) {
                difference.put(command, more);
            }
        });
        return new Calls(difference, processorSeconds - earlier.processorSeconds, memoryBytes - earlier.memoryBytes);
    }

    /** All calls, those that scripts make among them. */
    long total() {
        return byCommand.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The most frequent commands with their calls per second. */
    String rates(double seconds) {
        return byCommand.entrySet().stream()
                .sorted(Comparator.comparingLong((Map.Entry<String, Long> entry) -> -entry.getValue()))
                .limit(6)
                .map(entry -> String.format("%s %.1f", entry.getKey(), entry.getValue() / seconds))
                .collect(Collectors.joining(", "));
    }
}
