package io.korvet.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.time.Duration;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * A Korvet broker in a container, with a Redis inside unless told of another.
 *
 * <p>Clients must be given an address that works from where they are, so the Kafka port is the same inside and outside: a port
 * that was free when this was made.
 */
public final class KorvetContainer extends GenericContainer<KorvetContainer> {

    private static final int HTTP_PORT = 8080;

    private final int kafkaPort;
    private String host = "localhost";

    /** A container of an image whose entry point is {@code bin/korvet}. */
    public KorvetContainer(DockerImageName image) {
        super(image);
        kafkaPort = freePort();
        addFixedExposedPort(kafkaPort, kafkaPort);
        addExposedPort(HTTP_PORT);
        withEnv("KORVET_BROKER_PORT", String.valueOf(kafkaPort));
        withEnv("KORVET_BROKER_REBALANCE_DELAY", "0ms");
        withAdvertisedHost(host);
        withCommand("server", "--dev", "--ephemeral");
        waitingFor(Wait.forHttp("/actuator/health/readiness").forPort(HTTP_PORT))
                .withStartupTimeout(Duration.ofMinutes(2));
    }

    /** Uses a Redis of yours instead of one inside the container. */
    public KorvetContainer withRedis(String uri) {
        withEnv("KORVET_REDIS_URI", uri);
        return withCommand("server");
    }

    /** The name by which clients reach the machine that runs containers; {@code localhost} unless it is another. */
    public KorvetContainer withAdvertisedHost(String name) {
        host = name;
        return withEnv("KORVET_BROKER_ADVERTISED_HOST", name);
    }

    /** A second listener for clients in the container network: {@code alias:9092}. */
    public KorvetContainer withNetworkListener(String alias) {
        withNetworkAliases(alias);
        withEnv("KORVET_BROKER_LISTENERS_0_NAME", "network");
        withEnv("KORVET_BROKER_LISTENERS_0_PORT", "9092");
        return withEnv("KORVET_BROKER_LISTENERS_0_ADVERTISED_HOST", alias);
    }

    /** Sets a key of docs/configuration.md, as in {@code broker.default-partitions}. */
    public KorvetContainer withSetting(String key, String value) {
        String full = key.startsWith("korvet.") ? key : "korvet." + key;
        return withEnv(full.replaceAll("[.\\-\\[]", "_").replace("]", "").toUpperCase(java.util.Locale.ROOT), value);
    }

    /** What clients take as {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return host + ":" + kafkaPort;
    }

    private static int freePort() {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
