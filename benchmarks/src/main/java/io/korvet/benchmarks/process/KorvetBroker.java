package io.korvet.benchmarks.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Starts Korvet from its distribution, as a user does, against a redis-server of its own. */
public final class KorvetBroker {

    private KorvetBroker() {}

    /**
     * Starts both and waits until the broker listens.
     *
     * @param home the unpacked distribution, holding {@code bin/korvet}
     * @param tailCacheBytes for {@code korvet.broker.tail-cache-bytes}
     * @param archive where its cold tier is, {@code null} for none
     */
    public static Contender start(
            String name,
            Path home,
            String redisBinary,
            Path folder,
            RedisServer.Persistence persistence,
            long tailCacheBytes,
            @Nullable Path archive)
            throws IOException, InterruptedException {
        Contender redis = RedisServer.start(name, redisBinary, folder.resolve("redis"), persistence);
        int port = ChildProcess.freePort();
        int httpPort = ChildProcess.freePort();
        Path configuration = folder.resolve("korvet.yml");
        Files.writeString(
                configuration,
                """
                korvet:
                  broker:
                    host: 127.0.0.1
                    port: %d
                    tail-cache-bytes: %d
                  redis:
                    uri: redis://127.0.0.1:%d
                  admin:
                    host: 127.0.0.1
                    port: %d
                    anonymous-prometheus: true
                """.formatted(port, tailCacheBytes, redis.port(), httpPort)
                        + (archive == null ? "" : storage(archive)));
        ChildProcess broker = ChildProcess.start(
                "broker",
                folder,
                Map.of("JAVA_OPTS", ApacheKafkaBroker.HEAP),
                List.of(home.resolve("bin/korvet").toString(), "server", "--config", configuration.toString()));
        Contender contender = new Contender(
                name,
                Contender.Protocol.KAFKA,
                port,
                httpPort,
                List.of(redis.processes().get(0), broker));
        try {
            broker.awaitListening(port, Duration.ofSeconds(60));
        } catch (IOException | InterruptedException failure) {
            contender.close();
            throw failure;
        }
        return contender;
    }

    /** A worker that looks often, so that what is measured is its work and not its wait. */
    private static String storage(Path archive) {
        return """
                  storage:
                    remote:
                      path: %s
                    worker:
                      tick-interval: 100ms
                      lease-duration: 5s
                """.formatted(archive.toUri());
    }
}
