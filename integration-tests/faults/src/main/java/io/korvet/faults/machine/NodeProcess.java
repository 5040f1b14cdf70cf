package io.korvet.faults.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server's process on a node, which can be killed, stopped and started again; ends with this JVM at the latest. */
public class NodeProcess implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(90);

    private final String name;
    private final List<String> command;
    private final Path log;
    private final String ready;
    private volatile @Nullable Process process;

    /**
     * A process that isn't started yet.
     *
     * @param log where its output goes, that of all starts
     * @param ready what it writes when it can be used
     */
    public NodeProcess(String name, List<String> command, Path log, String ready) {
        this.name = name;
        this.command = List.copyOf(command);
        this.log = log;
        this.ready = ready;
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
    }

    /** Its name. */
    public final String name() {
        return name;
    }

    /** Starts it and returns when it can be used. */
    public final void start() {
        try {
            long written = Files.exists(log) ? Files.size(log) : 0;
            Process started = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.appendTo(log.toFile()))
                    .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                    .start();
            process = started;
            boolean usable = Waiting.until(START, () -> output(written).contains(ready) || !started.isAlive());
            if (!usable || !started.isAlive()) {
                throw new IllegalStateException(name + " doesn't start:\n" + output(written));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String output(long from) {
        try {
            byte[] all = Files.readAllBytes(log);
            return new String(all, (int) from, all.length - (int) from, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether it runs. */
    public final boolean alive() {
        Process running = process;
        return running != null && running.isAlive();
    }

    /** Ends it with SIGKILL and waits for its end. */
    public final void kill() {
        Process running = process;
        if (running != null) {
            running.destroyForcibly();
            try {
                running.waitFor(30, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Stops it with SIGSTOP where it is. */
    public final void pause() {
        signal("STOP");
    }

    /** Lets it go on. */
    public final void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        Process running = process;
        if (running != null) {
            Shell.run(List.of("kill", "-" + name, Long.toString(running.pid())));
        }
    }

    @Override
    public void close() {
        kill();
    }
}
