package io.korvet.it.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A process that ends with the test run at the latest; its output goes to a file below {@code target/it}. */
public final class ChildProcess implements AutoCloseable {
    private static final AtomicInteger SERIAL = new AtomicInteger();
    // Two JVMs run tests at once, and write to the same folder.
    private static final String RUN = "-" + ProcessHandle.current().pid() + "-";

    private final Process process;
    private final Path log;
    private final Thread hook;

    private ChildProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
        this.hook = new Thread(this::killAll);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Starts a command with both output streams in one log file and nothing to read. */
    public static ChildProcess start(String name, List<String> command) {
        return start(name, command, Path.of("/dev/null"));
    }

    /** Starts a command that reads a file. */
    public static ChildProcess start(String name, List<String> command, Path input) {
        Path log = workFolder("log").resolve(name + RUN + SERIAL.incrementAndGet() + ".log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .redirectInput(input.toFile());
        try {
            return new ChildProcess(builder.start(), log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A folder below {@code target/it}, made when it is not there. */
    public static Path workFolder(String name) {
        Path folder = Path.of(System.getProperty("korvet.it.work", "target"), "it", name)
                .toAbsolutePath();
        try {
            return Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The Java command of the running JVM. */
    public static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Its number. */
    public long processId() {
        return process.pid();
    }

    /** Whether it still runs. */
    public boolean alive() {
        return process.isAlive();
    }

    /** Fails with what it wrote when it has ended. */
    public void assertAlive() {
        if (!alive()) {
            throw new AssertionError("ended with " + process.exitValue() + ":\n" + output());
        }
    }

    /** All it has written so far. */
    public String output() {
        try {
            return Files.readString(log, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where its output is. */
    public Path log() {
        return log;
    }

    /** Ends the process alone with SIGKILL and waits for its end. */
    public void kill() {
        process.destroyForcibly();
        awaitExit(Duration.ofSeconds(20));
    }

    /** Stops it from running without ending it (SIGSTOP), until {@link #resume}. */
    public void pause() {
        signal("-STOP");
    }

    /** Lets it go on (SIGCONT). */
    public void resume() {
        signal("-CONT");
    }

    private void signal(String signal) {
        try (ChildProcess sender = start("kill", List.of("kill", signal, Long.toString(process.pid())))) {
            sender.awaitExit(Duration.ofSeconds(5));
        }
    }

    /** Ends it with SIGTERM, after 30 seconds with SIGKILL. */
    public void terminate() {
        process.destroy();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                killAll();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for its end and answers its exit code; a process that is late is killed and the test fails. */
    public int awaitExit(Duration limit) {
        try {
            if (process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                return process.exitValue();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        killAll();
        throw new AssertionError("not ended after " + limit + ":\n" + output());
    }

    /** Its resident memory in bytes; 0 where the system doesn't tell. */
    public long residentBytes() {
        return resident(process.pid());
    }

    private static long resident(long processId) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + processId + "/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                    .findFirst()
                    .orElse(0);
        } catch (IOException | UncheckedIOException e) {
            return 0;
        }
    }

    private void killAll() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    @Override
    public void close() {
        if (alive()) {
            terminate();
        }
        killAll();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the run is ending, and the hook with it
        }
    }
}
