package io.korvet.server.dev;

import io.korvet.server.StartException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Redis of our own on the loopback interface, for development: started, watched and ended with this process.
 *
 * <p>It runs under a small shell script that ends it (SIGTERM, so that it saves) when a pipe from this process closes: after
 * {@link #stop()}, and just the same after a {@code kill -9}. Ctrl-C in a terminal doesn't reach it, so the broker stops first.
 * Not thread-safe; start and stop wait.
 */
public final class DevRedis implements AutoCloseable {

    /** Redis' usual port. */
    public static final int USUAL_PORT = 6379;

    private static final Logger LOG = LoggerFactory.getLogger(DevRedis.class);
    private static final Duration READY_WITHIN = Duration.ofMinutes(5);
    /** Between the look for a port and Redis' taking it, another process can take it. */
    private static final int PORT_ATTEMPTS = 5;

    private static final int LONGEST_ANSWER = 1 << 16;
    private static final Duration GONE_WITHIN = Duration.ofSeconds(20);

    private final Process supervisor;
    private final DataDirectory data;
    private final int port;
    private final String version;
    private volatile boolean stopping;

    private DevRedis(Process supervisor, DataDirectory data, int port, String version) {
        this.supervisor = supervisor;
        this.data = data;
        this.port = port;
        this.version = version;
    }

    /**
     * Starts one and waits until it answers.
     *
     * @param data where it keeps its files; let go with it, and when the start fails
     * @param wantedPort {@code null} for 6379, or a free one when that is taken
     * @throws StartException with a message for people
     */
    public static DevRedis start(DataDirectory data, @Nullable Integer wantedPort) {
        return start(data, wantedPort == null ? PORT_ATTEMPTS : 1, () -> port(wantedPort));
    }

    /** Starts one on a port of {@code ports}, which is asked again while what it gave turns out to be taken. */
    static DevRedis start(DataDirectory data, int attempts, IntSupplier ports) {
        try {
            for (int attempt = 1; ; attempt++) {
                DevRedis redis = launch(data, ports.getAsInt());
                if (redis.awaitReady()) {
                    return redis;
                }
                String words = data.lastRedisWords();
                if (attempt == attempts || !words.contains("Address already in use")) {
                    throw new StartException("Redis ended at its start, saying:\n" + words);
                }
                LOG.info("Port {} was taken by another process meanwhile; Redis is started on another", redis.port);
            }
        } catch (RuntimeException e) {
            data.close();
            throw e;
        }
    }

    /** Starts one on any free port, as {@link #start} does; for tests, where several run at once. */
    public static DevRedis startAnywhere(DataDirectory data) {
        return start(data, PORT_ATTEMPTS, DevRedis::freePort);
    }

    private static DevRedis launch(DataDirectory data, int port) {
        String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
        RedisBinary binary = RedisBinary.find(path, data.root().resolve("bin"));
        data.endLeftOver(GONE_WITHIN);
        List<String> command = new ArrayList<>();
        Optional<Path> setsid = RedisBinary.onPath("setsid", path);
        setsid.ifPresent(program -> command.add(program.toString()));
        command.addAll(List.of("sh", "-c", script(), "korvet-redis-supervisor", data.removedAtEnd()));
        command.add(binary.program().toString());
        options(data, port).forEach((name, value) -> command.addAll(List.of("--" + name, value)));
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(data.redis().toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(data.redisLog().toFile());
            if (setsid.isPresent()) {
                builder.environment().put("KORVET_OWN_SESSION", "yes");
            }
            return new DevRedis(builder.start(), data, port, binary.version());
        } catch (IOException e) {
            throw new StartException("Redis can't be started: " + e.getMessage(), e);
        }
    }

    /** The settings recommended for Korvet, and those that keep it to this machine and to our directory. */
    private static Map<String, String> options(DataDirectory data, int port) {
        return Map.ofEntries(
                Map.entry("bind", "127.0.0.1"),
                Map.entry("port", String.valueOf(port)),
                Map.entry("dir", data.redis().toString()),
                Map.entry("pidfile", data.pidFile().toString()),
                Map.entry("daemonize", "no"),
                // Keeps the command line readable, by which a left-over is recognised.
                Map.entry("set-proc-title", "no"),
                Map.entry("appendonly", data.isEphemeral() ? "no" : "yes"),
                Map.entry("appendfsync", "everysec"),
                Map.entry("save", ""),
                Map.entry("maxmemory-policy", "noeviction"),
                Map.entry("stream-node-max-bytes", "32768"),
                Map.entry("stream-node-max-entries", "500"));
    }

    private static String script() {
        try (InputStream script = DevRedis.class.getResourceAsStream("supervisor.sh")) {
            return new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int port(@Nullable Integer wanted) {
        if (wanted != null) {
            if (!isFree(wanted)) {
                throw new StartException("port " + wanted
                        + " is in use by another process, so the Redis of --dev can't have it; choose another with"
                        + " --set redis.port=…");
            }
            return wanted;
        }
        return isFree(USUAL_PORT) ? USUAL_PORT : freePort();
    }

    private static int freePort() {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return any.getLocalPort();
        } catch (IOException e) {
            throw new StartException("there is no free port: " + e.getMessage(), e);
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Waits until it answers; false when it has ended instead. */
    private boolean awaitReady() {
        long deadline = System.nanoTime() + READY_WITHIN.toNanos();
        try {
            while (System.nanoTime() < deadline) {
                if (supervisor.waitFor(20, TimeUnit.MILLISECONDS)) {
                    return false;
                }
                if (isReady()) {
                    return true;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String words = data.lastRedisWords();
        stop();
        throw new StartException(
                "Redis wasn't ready within " + READY_WITHIN.toMinutes() + " minutes; it says:\n" + words);
    }

    /** Whether it takes commands: not while it still loads its file, and not when somebody else's Redis answers on the port. */
    private boolean isReady() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            socket.setSoTimeout(1000);
            socket.getOutputStream().write("PING\r\nINFO server\r\nQUIT\r\n".getBytes(StandardCharsets.US_ASCII));
            List<String> answer = new String(
                            socket.getInputStream().readNBytes(LONGEST_ANSWER), StandardCharsets.US_ASCII)
                    .lines()
                    .toList();
            return answer.contains("+PONG")
                    && supervisor.descendants().anyMatch(own -> answer.contains("process_id:" + own.pid()));
        } catch (IOException e) {
            return false;
        }
    }

    /** The port it listens on, on 127.0.0.1. */
    public int port() {
        return port;
    }

    /** Its version. */
    public String version() {
        return version;
    }

    /** Calls {@code action} when it ends without having been told to. */
    @SuppressWarnings("FutureReturnValueIgnored")
    public void onUnexpectedEnd(Runnable action) {
        supervisor.onExit().thenRun(() -> {
            if (!stopping) {
                action.run();
            }
        });
    }

    /** What it said last, for messages. */
    public String lastWords() {
        return data.lastRedisWords();
    }

    /** Ends it and waits until it has saved and gone; idempotent. */
    public void stop() {
        if (stopping) {
            return;
        }
        stopping = true;
        try {
            supervisor.getOutputStream().close();
            if (!supervisor.waitFor(GONE_WITHIN.toSeconds(), TimeUnit.SECONDS)) {
                LOG.warn("Redis has not gone within {} s and is killed", GONE_WITHIN.toSeconds());
                supervisor.descendants().forEach(ProcessHandle::destroyForcibly);
            }
        } catch (IOException e) {
            supervisor.destroy();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            data.close();
        }
    }

    @Override
    public void close() {
        stop();
    }
}
