package io.korvet.benchmarks.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A server process of this run, with a log file of its own; it ends when it is closed or when this JVM ends. */
public final class ChildProcess implements AutoCloseable {

    private static final Duration STOP = Duration.ofSeconds(20);
    private static final int LOG_TAIL = 30;

    private final String name;
    private final Path log;
    private final Process process;
    private final Thread hook = new Thread(this::kill);

    private ChildProcess(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Starts a command in a folder, which is made when it isn't there; its output goes to {@code NAME.log}. */
    public static ChildProcess start(String name, Path folder, Map<String, String> environment, List<String> command)
            throws IOException {
        Files.createDirectories(folder);
        Path log = folder.resolve(name + ".log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        return new ChildProcess(name, log, builder.start());
    }

    /** A port of the loopback address that was free a moment ago. */
    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return socket.getLocalPort();
        }
    }

    /**
     * Waits until the process listens at a port of the loopback address.
     *
     * @throws IOException when it ends before that or takes longer; the message holds the end of its log
     */
    public void awaitListening(int port, Duration atMost) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!listens(port)) {
            if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
                throw new IOException(name + " ended with " + process.exitValue() + ":\n" + logTail());
            }
            if (System.nanoTime() > deadline) {
                throw new IOException(name + " does not listen at " + port + " after " + atMost + ":\n" + logTail());
            }
        }
    }

    /**
     * Waits until the process has ended.
     *
     * @throws IOException when it fails or takes longer; the message holds the end of its log
     */
    public void awaitSuccess(Duration atMost) throws IOException, InterruptedException {
        if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS) || process.exitValue() != 0) {
            throw new IOException(name + " failed:\n" + logTail());
        }
    }

    /** Its name in tables: broker or redis. */
    public String name() {
        return name;
    }

    /** The process itself, the root of a tree. */
    public ProcessHandle handle() {
        return process.toHandle();
    }

    /** What it and its children have used up to now. */
    public ProcessUsage usage() throws IOException {
        return ProcessUsage.ofTree(handle());
    }

    @Override
    public void close() {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroy();
        try {
            process.waitFor(STOP.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        children.forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // The hook runs already.
        }
    }

    private void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private String logTail() throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL), lines.size()));
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
            return true;
        } catch (IOException refused) {
            return false;
        }
    }
}
