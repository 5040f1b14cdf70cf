package io.korvet.tiering;

import io.korvet.tiering.iceberg.ArchiveSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A real S3 server (s3proxy over local files) in a JVM of its own, on a free port of the loopback address. It checks
 * signatures and honours {@code If-None-Match}. It starts in 3 to 9 seconds: one for a test class is enough, tests keep
 * apart by bucket.
 */
public final class S3Server implements AutoCloseable {

    /** The one key it knows. */
    public static final String ACCESS_KEY = "korvet";
    /** What belongs to it. */
    public static final String SECRET_KEY = "korvet-secret";
    /** It serves every region. */
    public static final String REGION = "eu-central-1";

    private static final long START_SECONDS = 90;

    private final Path folder;
    private final int port;
    private Process process;

    private S3Server() throws IOException {
        folder = Files.createTempDirectory("korvet-s3");
        Files.createDirectory(folder.resolve("buckets"));
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        Files.write(
                folder.resolve("s3proxy.properties"),
                List.of(
                        "s3proxy.endpoint=http://127.0.0.1:" + port,
                        "s3proxy.authorization=aws-v2-or-v4",
                        "s3proxy.identity=" + ACCESS_KEY,
                        "s3proxy.credential=" + SECRET_KEY,
                        "s3proxy.ignore-unknown-headers=true",
                        "jclouds.provider=filesystem-nio2",
                        "jclouds.filesystem.basedir=" + folder.resolve("buckets")));
        Files.writeString(
                folder.resolve("logback.xml"),
                "<configuration><appender name='console' class='ch.qos.logback.core.ConsoleAppender'>"
                        + "<encoder><pattern>%level %logger %msg%n</pattern></encoder></appender>"
                        + "<root level='WARN'><appender-ref ref='console'/></root></configuration>");
        process = launch();
    }

    /** Starts one. */
    public static S3Server start() {
        try {
            return new S3Server();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where it listens. */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** Makes an empty bucket. */
    public void createBucket(String bucket) {
        try {
            Files.createDirectory(folder.resolve("buckets").resolve(bucket));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The directory in which a bucket's objects are files named by their keys. */
    public Path files(String bucket) {
        return folder.resolve("buckets").resolve(bucket);
    }

    /** An archive in one of its buckets, with every other setting by default. */
    public ArchiveSettings archive(String bucket) {
        return archive("s3://" + bucket + "/korvet", endpoint(), Duration.ofSeconds(30));
    }

    /** An archive that is reached through something before the server. */
    public static ArchiveSettings archive(String path, URI endpoint, Duration callTimeout) {
        ArchiveSettings defaults = ArchiveSettings.at(path);
        return new ArchiveSettings(
                path,
                new ArchiveSettings.S3(REGION, endpoint.toString(), true, ACCESS_KEY, SECRET_KEY),
                defaults.rowGroupBytes(),
                defaults.targetFileBytes(),
                Map.of(),
                callTimeout,
                defaults.readCacheBytes(),
                defaults.readThreads(),
                defaults.readPercent(),
                defaults.snapshotAge(),
                defaults.orphanAge());
    }

    /** Ends it at once; its buckets stay. */
    public void kill() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the S3 server on port " + port + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Starts it again on the same port with the same buckets. */
    public void restart() {
        kill();
        try {
            process = launch();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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

    private Process launch() throws IOException {
        Process started = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Dlogback.configurationFile=" + folder.resolve("logback.xml"),
                        "-cp",
                        classPath(),
                        "org.gaul.s3proxy.Main",
                        "--properties",
                        folder.resolve("s3proxy.properties").toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(started::destroyForcibly));
        awaitAnswer(started);
        return started;
    }

    /** What the build of s3-server found, above the directory that tests run in. */
    private static String classPath() throws IOException {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path found = folder.resolve("s3-server").resolve("target").resolve("class-path");
            if (Files.exists(found)) {
                return Files.readString(found).strip();
            }
        }
        throw new IllegalStateException("no s3-server/target/class-path above "
                + Path.of("").toAbsolutePath() + ": build with -am, or mvn -pl s3-server generate-resources");
    }

    private void awaitAnswer(Process started) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() < deadline && started.isAlive()) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
                socket.setSoTimeout(10_000);
                socket.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                if (socket.getInputStream().read() >= 0) {
                    return;
                }
            } catch (IOException e) {
                Thread.onSpinWait();
            }
        }
        throw new IllegalStateException(
                "the S3 server did not start on port " + port + ": " + Files.readString(folder.resolve("log")));
    }
}
