package io.korvet.faults;

import io.korvet.faults.client.Clients;
import io.korvet.faults.machine.Cluster;
import io.korvet.faults.machine.Waiting;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The process of all clients, in their namespace, as the run sees it. */
final class ClientsProcess implements AutoCloseable {
    /** What clients do: each is waited for by itself. */
    static final List<String> KINDS = List.of("PRODUCE", "READ", "COMMIT");

    private final Process process;
    private final Writer commands;
    private final Map<String, Long> passed = new ConcurrentHashMap<>();
    private final List<String> missing = Collections.synchronizedList(new ArrayList<>());
    private volatile String counts = "";
    private volatile String said = "";

    /** Starts it and returns when topics are made and clients run. */
    ClientsProcess(Cluster cluster, Path folder, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Clients.class.getName()));
        command.addAll(arguments);
        try {
            process = new ProcessBuilder(cluster.network().command(Cluster.CLIENTS, command))
                    .redirectError(
                            Redirect.appendTo(folder.resolve("clients.log").toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        commands = process.outputWriter(StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "clients");
        reader.setDaemon(true);
        reader.start();
        await("ready", Duration.ofSeconds(90));
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("passed ")) {
                    int last = line.lastIndexOf(' ');
                    passed.put(
                            line.substring("passed ".length(), last),
                            Long.parseLong(line, last + 1, line.length(), 10));
                } else if (line.startsWith("missing ")) {
                    missing.add(line);
                } else if (line.startsWith("counts ")) {
                    counts = line.substring("counts ".length());
                } else {
                    said = line;
                }
            }
        } catch (IOException e) {
            said = "gone: " + e;
        }
    }

    private void await(String word, Duration limit) {
        boolean heard = Waiting.until(limit, () -> said.equals(word) || !process.isAlive());
        if (!heard || !said.equals(word)) {
            throw new IllegalStateException("the clients don't say " + word + " but " + said + "; see clients.log");
        }
    }

    private void say(String command) {
        try {
            commands.write(command + "\n");
            commands.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sets a mark that clients are to come past. */
    void mark(String name) {
        say("mark " + name);
    }

    /** How many milliseconds after the mark all clients had come past it; -1 when they haven't yet. */
    long passed(String name, String kind) {
        return passed.getOrDefault(name + " " + kind, -1L);
    }

    /** Waits until all clients have come past a mark; answers whether they did. */
    boolean awaitPassed(String name, Duration limit) {
        return Waiting.until(
                        limit, () -> !process.isAlive() || KINDS.stream().allMatch(kind -> passed(name, kind) >= 0))
                && process.isAlive();
    }

    /** Who hasn't come past the marks there are; forgets these marks. */
    List<String> missing() {
        missing.clear();
        say("missing");
        await("told", Duration.ofSeconds(10));
        said = "";
        return List.copyOf(missing);
    }

    /** What clients did so far, for people. */
    String counts() {
        return counts;
    }

    /** Lets producers end, readers read to the end, the log be read. */
    void stop() {
        say("stop");
        await("stopped", Duration.ofMinutes(8));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
