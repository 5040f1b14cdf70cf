package io.korvet.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A Redis server of a test's own, on a free port of the loopback address, without persistence unless options say so.
 * Start it, use {@link #uri()}, close it.
 */
public final class RedisServerProcess implements AutoCloseable {

    /** Stands for a port in the option {@code --tls-port}. */
    public static final String FREE_PORT = "free-port";

    private static final long START_SECONDS = 20;
    private static final String OK = "+OK\r\n";

    private final RedisServerBinary binary;
    private int port;
    private final int tlsPort;
    private final String password;
    private final Path folder;
    private final List<String> options;
    private final String sentinelConfiguration;
    private Process process;
    private boolean paused;

    private RedisServerProcess(RedisServerBinary binary, String sentinelConfiguration, List<String> options) {
        this.binary = binary;
        this.sentinelConfiguration = sentinelConfiguration;
        this.options = new ArrayList<>(options);
        password = password(sentinelConfiguration, options);
        try {
            port = freePort();
            int tls = options.indexOf(FREE_PORT);
            tlsPort = tls < 0 ? 0 : freePort();
            if (tls >= 0) {
                this.options.set(tls, Integer.toString(tlsPort));
            }
            folder = Files.createTempDirectory("korvet-redis");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        process = launch();
    }

    /** Starts the preferred server; options as on the command line, for instance {@code "--maxmemory", "4mb"}. */
    public static RedisServerProcess start(String... options) {
        return start(RedisServerBinary.preferred(), options);
    }

    /** Starts a certain server. */
    public static RedisServerProcess start(RedisServerBinary binary, String... options) {
        return new RedisServerProcess(binary, "", List.of(options));
    }

    /** Starts the preferred server as a sentinel with so many lines of configuration. */
    public static RedisServerProcess startSentinel(String configuration) {
        return new RedisServerProcess(RedisServerBinary.preferred(), configuration, List.of());
    }

    private static String password(String sentinelConfiguration, List<String> options) {
        int option = options.indexOf("--requirepass");
        return option >= 0
                ? options.get(option + 1)
                : sentinelConfiguration
                        .lines()
                        .filter(line -> line.startsWith("requirepass "))
                        .map(line -> line.substring(line.indexOf(' ') + 1))
                        .findFirst()
                        .orElse("");
    }

    /** A port that a node of a cluster may have too: its other port lies 10,000 above. */
    private static int freePort() throws IOException {
        while (true) {
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                if (socket.getLocalPort() < 55_000) {
                    return socket.getLocalPort();
                }
            }
        }
    }

    /** Where it listens. */
    public int port() {
        return port;
    }

    /** Where it listens for TLS, 0 for nowhere. */
    public int tlsPort() {
        return tlsPort;
    }

    /** Where it listens, as a URI. */
    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** Where its files are. */
    public Path folder() {
        return folder;
    }

    /** What it is. */
    public RedisServerBinary binary() {
        return binary;
    }

    /** Whether it runs and isn't paused. */
    public boolean isAlive() {
        return process.isAlive() && !paused;
    }

    /** Ends it at once, as {@code kill -9} does. */
    public void kill() {
        process.destroyForcibly();
        awaitExit();
    }

    /** Stops it from answering without ending it, until {@link #resume}. */
    public void pause() {
        paused = true;
        signal("-STOP");
    }

    /** Lets it go on. */
    public void resume() {
        signal("-CONT");
        paused = false;
    }

    private void signal(String signal) {
        try {
            new ProcessBuilder("kill", signal, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Ends it and starts it again on the same port; without persistence it comes back empty. */
    public void restart() {
        if (process.isAlive()) {
            process.destroy();
            awaitExit();
        }
        process = launch();
    }

    /** Starts it again, as a master, with its own files at the address of another one that is gone. */
    public void takePlaceOf(RedisServerProcess gone) {
        kill();
        port = gone.port;
        int replicaOf = options.indexOf("--replicaof");
        if (replicaOf >= 0) {
            options.subList(replicaOf, replicaOf + 3).clear();
        }
        process = launch();
    }

    /**
     * Cuts the newest part of its append-only file to a length, as the loss of a machine does with what was not synced.
     * Only while it doesn't run.
     */
    public void truncateAppendOnlyFile(long length) {
        try (FileChannel file = FileChannel.open(appendOnlyFile(), StandardOpenOption.WRITE)) {
            file.truncate(length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The bytes written to the newest part of its append-only file, synced or not. */
    public long appendOnlyFileLength() {
        try {
            return Files.size(appendOnlyFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path appendOnlyFile() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".incr.aof") || file.endsWith("appendonly.aof"))
                    .max(Comparator.comparing(Path::toString))
                    .orElseThrow();
        }
    }

    @Override
    public void close() {
        kill();
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Sends one command on a connection of its own and answers the reply as text in RESP (see {@link #words}), for whatever a test needs done
     * behind the store's back.
     */
    public String command(String... words) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            StringBuilder request = new StringBuilder();
            if (!password.isEmpty()) {
                add(request, "AUTH", password);
            }
            add(request, words);
            OutputStream out = socket.getOutputStream();
            if (sentinelConfiguration.isEmpty()) {
                add(request, "QUIT");
            }
            out.write(request.toString().getBytes(StandardCharsets.UTF_8));
            // A sentinel knows no QUIT; it ends the connection when nothing more can come.
            if (!sentinelConfiguration.isEmpty()) {
                socket.shutdownOutput();
            }
            InputStream in = socket.getInputStream();
            String reply = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            reply = reply.substring(password.isEmpty() ? 0 : OK.length());
            return reply.endsWith(OK) ? reply.substring(0, reply.length() - OK.length()) : reply;
        } catch (IOException e) {
            throw new UncheckedIOException("redis-server on port " + port, e);
        }
    }

    private static void add(StringBuilder request, String... words) {
        request.append('*').append(words.length).append("\r\n");
        for (String word : words) {
            request.append('$')
                    .append(word.getBytes(StandardCharsets.UTF_8).length)
                    .append("\r\n")
                    .append(word)
                    .append("\r\n");
        }
    }

    /** The same as the texts of an answer, without what RESP adds. */
    public List<String> words(String... command) {
        return command(command)
                .lines()
                .filter(line -> !line.startsWith("*") && !line.startsWith("$"))
                .map(line -> line.startsWith("+") || line.startsWith(":") ? line.substring(1) : line)
                .toList();
    }

    private Process launch() {
        paused = false;
        try {
            List<String> command = new ArrayList<>(List.of(binary.path().toString()));
            if (sentinelConfiguration.isEmpty()) {
                command.addAll(List.of("--save", "", "--appendonly", "no", "--repl-diskless-sync-delay", "0"));
            } else {
                Path file = folder.resolve("sentinel.conf");
                Files.writeString(file, sentinelConfiguration);
                command.addAll(List.of(file.toString(), "--sentinel"));
            }
            command.addAll(
                    List.of("--port", Integer.toString(port), "--bind", "127.0.0.1", "--dir", folder.toString()));
            command.addAll(options);
            Process started = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log").toFile())
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(started::destroyForcibly));
            awaitListening(started);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitListening(Process started) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() < deadline && started.isAlive()) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
                return;
            } catch (IOException e) {
                Thread.onSpinWait();
            }
        }
        throw new IllegalStateException(
                binary + " did not start on port " + port + ": " + Files.readString(folder.resolve("log")));
    }

    private void awaitExit() {
        try {
            if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException(binary + " on port " + port + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
