package io.korvet.it.scale;

import io.korvet.it.broker.ChildProcess;
import io.korvet.it.broker.KorvetBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a broker's process uses, asked from outside. */
final class BrokerProcess {

    private static final Pattern TOTAL = Pattern.compile("Total\\s+\\d+\\s+(\\d+)");

    private BrokerProcess() {}

    /** Objects by class after a full garbage collection, as {@code jcmd GC.class_histogram} shows them. */
    static String histogram(KorvetBroker broker) {
        Path command = Path.of(ChildProcess.java()).resolveSibling("jcmd");
        try (ChildProcess asking = ChildProcess.start(
                "jcmd", List.of(command.toString(), Long.toString(broker.processId()), "GC.class_histogram"))) {
            asking.awaitExit(Duration.ofSeconds(30));
            return asking.output();
        }
    }

    /** The bytes of all objects in a histogram. */
    static long bytes(String histogram) {
        return TOTAL.matcher(histogram)
                .results()
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError(histogram));
    }

    /** The classes that take most, one a line. */
    static String largest(String histogram) {
        return histogram
                .lines()
                .filter(line -> line.matches("\\s+\\d+:.*"))
                .limit(24)
                .collect(Collectors.joining("\n"));
    }

    /** Processor time so far, user's and system's; 0 where the system doesn't tell. */
    static double processorSeconds(KorvetBroker broker) {
        try {
            String fields = Files.readString(Path.of("/proc/" + broker.processId() + "/stat"));
            String[] afterName = fields.substring(fields.lastIndexOf(')') + 2).split(" ", -1);
            // Fields 14 and 15 of proc(5), in hundredths of a second on every Linux.
            return (Long.parseLong(afterName[11]) + Long.parseLong(afterName[12])) / 100.0;
        } catch (IOException e) {
            if (Files.exists(Path.of("/proc/self/stat"))) {
                throw new UncheckedIOException(e);
            }
            return 0;
        }
    }
}
