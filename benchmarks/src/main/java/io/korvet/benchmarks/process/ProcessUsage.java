package io.korvet.benchmarks.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a process has used since it began, read from Linux's {@code /proc}.
 *
 * @param cpuSeconds user and system time of all its threads
 * @param residentBytes memory it holds now
 */
public record ProcessUsage(double cpuSeconds, long residentBytes) {

    private static final double TICKS_PER_SECOND = 100;
    private static final long PAGE_BYTES = 4096;
    // Fields of /proc/PID/stat after the name in brackets, which may itself hold spaces (proc(5), counted from 0).
    private static final int USER_TICKS = 11;
    private static final int SYSTEM_TICKS = 12;
    private static final int RESIDENT_PAGES = 21;

    /** The usage of a process and of all processes it has started; those that have ended count as nothing. */
    public static ProcessUsage ofTree(ProcessHandle process) throws IOException {
        ProcessUsage sum = of(process.pid());
        for (ProcessHandle child : process.descendants().toList()) {
            sum = sum.plus(of(child.pid()));
        }
        return sum;
    }

    /** The usage of one process; one that has ended counts as nothing. */
    public static ProcessUsage of(long pid) throws IOException {
        try {
            return parse(Files.readString(Path.of("/proc", Long.toString(pid), "stat")));
        } catch (NoSuchFileException ended) {
            return new ProcessUsage(0, 0);
        }
    }

    /** CPU seconds of those threads of a process that live and whose names begin with something. */
    public static double ofThreads(long pid, String prefix) throws IOException {
        double seconds = 0;
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads.toList()) {
                try {
                    if (Files.readString(thread.resolve("comm")).startsWith(prefix)) {
                        seconds +=
                                parse(Files.readString(thread.resolve("stat"))).cpuSeconds();
                    }
                } catch (NoSuchFileException ended) {
                    // It counts as nothing.
                }
            }
        }
        return seconds;
    }

    /** Reads one line of {@code /proc/PID/stat}. */
    static ProcessUsage parse(String stat) {
        List<String> fields =
                List.of(stat.substring(stat.lastIndexOf(')') + 2).strip().split(" ", -1));
        double ticks = Long.parseLong(fields.get(USER_TICKS)) + Long.parseLong(fields.get(SYSTEM_TICKS));
        return new ProcessUsage(ticks / TICKS_PER_SECOND, Long.parseLong(fields.get(RESIDENT_PAGES)) * PAGE_BYTES);
    }

    private ProcessUsage plus(ProcessUsage other) {
        return new ProcessUsage(cpuSeconds + other.cpuSeconds, residentBytes + other.residentBytes);
    }
}
