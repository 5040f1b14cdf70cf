package io.korvet.benchmarks.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.common.utils.AppInfoParser;

/** Describes where a run took place. */
public final class Machine {

    private static final double KIBIBYTES_PER_GIBIBYTE = 1024.0 * 1024.0;

    private Machine() {}

    /** One line each for the processor, memory, kernel, load, JDK and servers. */
    public static List<String> describe(String redisBinary) throws IOException, InterruptedException {
        return List.of(
                "Processor: %d x %s"
                        .formatted(
                                Runtime.getRuntime().availableProcessors(),
                                value("/proc/cpuinfo", "model name").orElse("unknown")),
                String.format(
                        Locale.ROOT,
                        "Memory: %.1f GiB",
                        value("/proc/meminfo", "MemTotal")
                                .map(total -> Long.parseLong(total.replace(" kB", "")) / KIBIBYTES_PER_GIBIBYTE)
                                .orElse(0.0)),
                "Kernel: %s %s".formatted(System.getProperty("os.name"), System.getProperty("os.version")),
                "Load when the run began (1, 5, 15 minutes): "
                        + Stream.of(Files.readString(Path.of("/proc/loadavg")).split(" ", -1))
                                .limit(3)
                                .toList(),
                "JDK: %s %s".formatted(System.getProperty("java.vm.name"), System.getProperty("java.vm.version")),
                "Apache Kafka: broker and clients " + AppInfoParser.getVersion(),
                "Redis: " + versionOf(redisBinary));
    }

    private static String versionOf(String binary) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(binary, "--version").start();
        String version = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        process.waitFor(5, TimeUnit.SECONDS);
        return Stream.of(version.split(" ", -1))
                .filter(word -> word.startsWith("v="))
                .map(word -> word.substring(2))
                .findFirst()
                .orElse(version);
    }

    private static Optional<String> value(String file, String key) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.filter(line -> line.startsWith(key))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst();
        }
    }
}
