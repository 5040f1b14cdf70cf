package io.korvet.it.broker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One of Apache Kafka's command line tools in a process of its own, on this module's class path. */
public final class KafkaTool {
    private KafkaTool() {}

    /**
     * Runs a tool to its end and answers what it wrote; fails unless it ends well.
     *
     * @param input a file for it to read, {@code null} for none
     * @param mainClass the tool
     */
    public static String run(@Nullable Path input, String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>(
                List.of(ChildProcess.java(), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.add(mainClass);
        command.addAll(arguments);
        try (ChildProcess process =
                input == null ? ChildProcess.start("tool", command) : ChildProcess.start("tool", command, input)) {
            int code = process.awaitExit(Duration.ofMinutes(2));
            String output = process.output();
            if (code != 0) {
                throw new AssertionError(mainClass + " ended with " + code + ":\n" + output);
            }
            return output;
        }
    }
}
