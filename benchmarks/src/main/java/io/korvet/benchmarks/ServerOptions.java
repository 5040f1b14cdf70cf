package io.korvet.benchmarks;

import io.korvet.benchmarks.process.ApacheKafkaBroker;
import io.korvet.benchmarks.process.Contender;
import io.korvet.benchmarks.process.KorvetBroker;
import io.korvet.benchmarks.process.RedisServer;
import io.korvet.benchmarks.process.RedisServer.Persistence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** Where the servers come from and where they work: options that the commands share. */
final class ServerOptions {

    @Option(names = "--korvet-home", paramLabel = "DIR", required = true, description = "Where bin/korvet is.")
    private Path korvetHome = Path.of("");

    @Option(
            names = "--kafka-jars",
            paramLabel = "DIR",
            required = true,
            description = "Jars of an Apache Kafka broker.")
    private Path kafkaJars = Path.of("");

    @Option(names = "--redis-server", paramLabel = "FILE", description = "Redis (default: the one on the PATH).")
    private String redisServer = "redis-server";

    @Option(names = "--folder", paramLabel = "DIR", required = true, description = "For logs and data of the servers.")
    private Path folder = Path.of("");

    /** Starts Korvet with a Redis of its own. */
    Contender korvet(String name, Persistence persistence) throws IOException, InterruptedException {
        return KorvetBroker.start(
                name,
                korvetHome.toAbsolutePath(),
                redisServer,
                folderOf(name),
                persistence,
                Scale.TAIL_CACHE_BYTES,
                null);
    }

    /** Starts Korvet with a Redis of its own and an archive in a folder beside it; without a tail cache. */
    Contender korvetWithArchive(String name) throws IOException, InterruptedException {
        Path own = folderOf(name);
        return KorvetBroker.start(
                name, korvetHome.toAbsolutePath(), redisServer, own, Persistence.NONE, 0, own.resolve("archive"));
    }

    /** Starts an Apache Kafka broker. */
    Contender kafka(String name) throws IOException, InterruptedException {
        return ApacheKafkaBroker.start(name, kafkaJars.toAbsolutePath(), folderOf(name));
    }

    /** Starts Redis alone. */
    Contender redis(String name, Persistence persistence) throws IOException, InterruptedException {
        return RedisServer.start(name, redisServer, folderOf(name), persistence);
    }

    /** The Redis binary. */
    String redisServer() {
        return redisServer;
    }

    /** Removes what the servers have left but for their logs. */
    void removeData() throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                boolean data = Files.isRegularFile(file) && !file.toString().endsWith(".log");
                if (data || isEmptyFolder(file)) {
                    Files.delete(file);
                }
            }
        }
    }

    private Path folderOf(String name) throws IOException {
        return Files.createDirectories(folder.toAbsolutePath()
                .resolve(name.replaceAll("[^A-Za-z]+", "-").toLowerCase(Locale.ROOT)));
    }

    private static boolean isEmptyFolder(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return false;
        }
        try (Stream<Path> entries = Files.list(path)) {
            return entries.findAny().isEmpty();
        }
    }
}
