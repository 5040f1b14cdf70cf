package io.korvet.server.cli;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The command line in a process (and a process group) of its own, its output in a file. */
final class ServerProcess implements AutoCloseable {

    private final Process process;
    private final Path output;

    private ServerProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    static ServerProcess start(Path directory, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                "setsid",
                // A shell's background job inherits that Ctrl-C is ignored, and so would what it starts.
                "env",
                "--default-signal=INT,QUIT,TERM,HUP",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                // What the product logs, not what tests do.
                "-Dlogback.configurationFile=logback.xml",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        try {
            Path output = Files.createTempFile(directory, "output", ".txt");
            Process process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            return new ServerProcess(process, output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static int freePort() {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return any.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it says that it is ready. */
    ServerProcess ready() {
        await(output.toString())
                .atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(100))
                .failFast(() -> {
                    if (!process.isAlive()) {
                        throw new AssertionError("ended: " + output());
                    }
                })
                .until(() -> output().contains("is ready"));
        return this;
    }

    String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a signal to the whole process group, as a terminal does. */
    void signalGroup(String signal) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + signal, "--", "-" + process.pid())
                .inheritIO()
                .start()
                .waitFor();
    }

    void kill() {
        process.destroyForcibly();
    }

    /** Waits for its end. */
    int exitCode() throws InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new AssertionError("still running: " + output());
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            exitCode();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
