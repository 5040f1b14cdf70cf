package io.korvet.it.broker;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

/** A Redis of a test's own that keeps every write (append-only file, synced always), so that it can be killed too. */
public final class RedisProcess implements AutoCloseable {
    private final int port = FreePorts.next();
    private final Path folder = ChildProcess.workFolder("redis-" + port);

    @Nullable
    private ChildProcess process;

    /** Its address. */
    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** Sends one command, its words separated by blanks, and answers what Redis says to it, undecoded. */
    public String command(String words) {
        URI address = URI.create(uri());
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write((words + "\r\nQUIT\r\n").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(words, e);
        }
    }

    /** Starts it, again too, and returns when it listens. */
    public void start() {
        List<String> command = new ArrayList<>(List.of(executable(), "--port", Integer.toString(port)));
        command.addAll(List.of("--dir", folder.toString(), "--appendonly", "yes", "--appendfsync", "always"));
        command.addAll(List.of("--save", "", "--bind", "127.0.0.1", "--stream-node-max-bytes", "32768"));
        ChildProcess started = ChildProcess.start("redis-" + port, command);
        process = started;
        await("Redis listens; log " + started.log())
                .atMost(Duration.ofSeconds(30))
                .failFast(started::assertAlive)
                .until(() -> FreePorts.listening(port));
    }

    /** Ends it with SIGKILL; what it stored is kept. */
    public void kill() {
        Objects.requireNonNull(process).kill();
    }

    /** The redis-server on the PATH, else the one in the embedded-redis jar. */
    private static String executable() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "redis-server"))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElseGet(RedisProcess::embedded);
    }

    private static String embedded() {
        try {
            return ExecutableProvider.newJarResourceProvider().get().toString();
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
        Folders.delete(folder);
    }
}
