package io.korvet.it.broker;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** Korvet from the distribution this build made: {@code bin/korvet server} in a process of its own. */
public final class KorvetBroker implements TestBroker {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

    private final int port;
    private final int httpPort;
    private final List<String> arguments;

    @Nullable
    private final Path folder;

    @Nullable
    private ChildProcess process;

    private KorvetBroker(List<String> storage, @Nullable Path folder) {
        this.folder = folder;
        this.port = FreePorts.next();
        this.httpPort = FreePorts.next();
        List<String> all = new ArrayList<>(List.of(command().toString(), "server"));
        for (String setting : List.of(
                "korvet.broker.port=" + port,
                "korvet.broker.advertised-host=127.0.0.1",
                "korvet.broker.fetch-max-wait=30s",
                "korvet.broker.rebalance-delay=0s",
                "korvet.admin.port=" + httpPort,
                "korvet.admin.anonymous-prometheus=true",
                "korvet.storage.worker.tick-interval=1s",
                "korvet.storage.worker.lease-duration=10s")) {
            all.addAll(List.of("--set", setting));
        }
        // Of a key that is set twice the last one counts: the test's own.
        all.addAll(storage);
        this.arguments = List.copyOf(all);
    }

    private KorvetBroker(KorvetBroker other, List<String> arguments) {
        this.port = other.port;
        this.httpPort = other.httpPort;
        this.folder = other.folder;
        this.arguments = List.copyOf(arguments);
    }

    /** A broker in development mode with a Redis of its own that ends with it; not started. */
    public static KorvetBroker ephemeral(String... settings) {
        // Not the usual port, which two that start at once would both find free.
        String redis = "korvet.redis.port=" + FreePorts.next();
        List<String> mode = new ArrayList<>(List.of("--dev", "--ephemeral", "--set", redis));
        for (String setting : settings) {
            mode.addAll(List.of("--set", setting));
        }
        return new KorvetBroker(mode, null);
    }

    /** A broker in development mode with a data folder that outlives its ends; not started. */
    public static KorvetBroker keeping(String... options) {
        Path folder = ChildProcess.workFolder("dev-" + Uuid.randomUuid().hashCode());
        List<String> all = new ArrayList<>(List.of("--dev", "--data-dir", folder.toString()));
        all.addAll(List.of(options));
        return new KorvetBroker(all, folder);
    }

    /** A broker over a Redis that lives longer; not started. */
    public static KorvetBroker over(RedisProcess redis, String... settings) {
        List<String> all = new ArrayList<>(List.of("--set", "korvet.redis.uri=" + redis.uri()));
        for (String setting : settings) {
            all.addAll(List.of("--set", setting));
        }
        return new KorvetBroker(all, null);
    }

    /** A broker that is told by settings where its Redis is; not started. */
    public static KorvetBroker with(String... settings) {
        List<String> all = new ArrayList<>();
        for (String setting : settings) {
            all.addAll(List.of("--set", setting));
        }
        return new KorvetBroker(all, null);
    }

    /** The same with so much heap ({@code 256m}), and ended as soon as that is not enough; not started. */
    public static KorvetBroker over(RedisProcess redis, HeapLimit heap, String... settings) {
        KorvetBroker broker = over(redis, settings);
        List<String> limited = new ArrayList<>(List.of("env", "JAVA_OPTS=-Xmx" + heap.size()));
        limited.addAll(broker.arguments);
        return new KorvetBroker(broker, limited);
    }

    /** The same with environment variables ({@code NAME=value}) of its own; not started. */
    public static KorvetBroker over(RedisProcess redis, List<String> environment, String... settings) {
        return over(redis, settings).withEnvironment(environment);
    }

    /** The same with environment variables ({@code NAME=value}) of its own; not started. */
    public KorvetBroker withEnvironment(List<String> environment) {
        List<String> all = new ArrayList<>(List.of("env"));
        all.addAll(environment);
        all.addAll(arguments);
        return new KorvetBroker(this, all);
    }

    /** How much heap a broker may have, as {@code -Xmx} takes it. */
    public record HeapLimit(String size) {}

    /** Starts one that must end by itself with exit code 1, and answers what it wrote. */
    public static String refusedStart(RedisProcess redis, String... settings) {
        return refusedStart(over(redis, settings));
    }

    /** The same for one that is told by settings where its Redis is. */
    public static String refusedStart(String... settings) {
        return refusedStart(with(settings));
    }

    /** The same for one that was not started yet. */
    public static String refusedStart(KorvetBroker refused) {
        try (KorvetBroker broker = refused;
                ChildProcess process = ChildProcess.start("korvet-refused", broker.arguments)) {
            int code = process.awaitExit(Duration.ofMinutes(1));
            if (code != 1) {
                throw new AssertionError("ended with " + code + ":\n" + process.output());
            }
            return process.output();
        }
    }

    /** The start script in the newest unpacked distribution. */
    public static Path command() {
        Path target = Path.of(System.getProperty("korvet.it.distribution", "../distribution/target"));
        try (Stream<Path> files = Files.find(target, 4, (path, attributes) -> path.endsWith("bin/korvet"))) {
            return files.findFirst()
                    .map(Path::toAbsolutePath)
                    .map(Path::normalize)
                    .orElseThrow(() -> new IllegalStateException(
                            "no bin/korvet below " + target + "; build the distribution module first"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Kind kind() {
        return Kind.KORVET;
    }

    @Override
    public String bootstrap() {
        return "127.0.0.1:" + port;
    }

    @Override
    public long residentBytes() {
        return process == null ? 0 : process.residentBytes();
    }

    /** The number of its process. */
    public long processId() {
        return Objects.requireNonNull(process).processId();
    }

    /** Asks the HTTP port: the body, empty when nobody answers. */
    public String page(String path) {
        HttpResponse<String> response = response(path);
        return response == null ? "" : response.body();
    }

    /** Asks the HTTP port: the status code, 0 when nobody answers. */
    public int status(String path) {
        HttpResponse<String> response = response(path);
        return response == null ? 0 : response.statusCode();
    }

    @Nullable
    private HttpResponse<String> response(String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + httpPort + path))
                .timeout(Duration.ofSeconds(5))
                .build();
        try {
            return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** What the broker has written to its log. */
    public String output() {
        return Objects.requireNonNull(process).output();
    }

    @Override
    public void kill() {
        Objects.requireNonNull(process).kill();
    }

    /** Stops it from running without ending it, until {@link #resume}. */
    public void pause() {
        Objects.requireNonNull(process).pause();
    }

    /** Lets it go on. */
    public void resume() {
        Objects.requireNonNull(process).resume();
    }

    /** A meter without tags, or the sum of all with its name; 0 when there is none. */
    public double meter(String name) {
        return page("/actuator/prometheus")
                .lines()
                .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Override
    public void stop() {
        Objects.requireNonNull(process).terminate();
    }

    /** Starts it and doesn't wait until it answers. */
    public void launch() {
        process = ChildProcess.start("korvet-" + port, arguments);
    }

    /** Waits until it answers after a {@link #launch}. */
    public void awaitReady() {
        ChildProcess started = Objects.requireNonNull(process);
        await("Korvet is ready; log " + started.log())
                .atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(100))
                .failFast(started::assertAlive)
                .until(() -> status("/actuator/health/readiness") == 200);
    }

    @Override
    public void start() {
        launch();
        awaitReady();
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
        if (folder != null) {
            Folders.delete(folder);
        }
    }
}
