package io.korvet.faults.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One Redis that syncs each write and three brokers over it, each in a namespace of its own, and a namespace for clients. */
public final class Cluster implements AutoCloseable {
    /** How many brokers there are. */
    public static final int BROKERS = 3;
    /** The node of Redis. */
    public static final String REDIS = "redis";
    /** The node of the clients. */
    public static final String CLIENTS = "clients";

    private static final int PORT = 9092;

    private final Network network;
    private final NodeProcess redis;
    private final List<NodeProcess> brokers = new ArrayList<>();
    private final List<SteppedClock> clocks = new ArrayList<>();

    /**
     * Makes namespaces and processes and starts these.
     *
     * @param korvet the start script
     * @param folder for logs and the data of Redis
     * @param settings of the brokers, {@code key=value}
     */
    public Cluster(Path korvet, Path folder, String suffix, List<String> settings) {
        List<String> nodes = new ArrayList<>(List.of(REDIS, CLIENTS));
        IntStream.range(0, BROKERS).mapToObj(Cluster::broker).forEach(nodes::add);
        Path library = SteppedClock.library(folder).orElse(null);
        network = new Network(suffix, nodes);
        redis = new NodeProcess(
                REDIS,
                network.command(REDIS, redisCommand(folder)),
                folder.resolve("redis.log"),
                "Ready to accept connections");
        for (int id = 0; id < BROKERS; id++) {
            brokers.add(newBroker(korvet, folder, library, id, settings));
        }
    }

    /** Starts all processes and returns when they can be used. */
    public void start() {
        redis.start();
        CompletableFuture.allOf(brokers.stream()
                        .map(broker -> CompletableFuture.runAsync(broker::start))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
    }

    private static List<String> redisCommand(Path folder) {
        Path data = folder.resolve("redis");
        try {
            Files.createDirectories(data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.of(
                "redis-server",
                "--dir",
                data.toString(),
                "--bind",
                "0.0.0.0",
                "--protected-mode",
                "no",
                "--save",
                "",
                "--appendonly",
                "yes",
                "--appendfsync",
                "always");
    }

    private NodeProcess newBroker(Path korvet, Path folder, @Nullable Path library, int id, List<String> settings) {
        String node = broker(id);
        List<String> command = new ArrayList<>();
        if (library != null) {
            SteppedClock clock = SteppedClock.with(library, folder.resolve(node + ".clock"));
            clocks.add(clock);
            command.addAll(clock.prefix());
        } else {
            command.add("env");
        }
        command.addAll(List.of("JAVA_OPTS=-Xmx384m -XX:TieredStopAtLevel=1", korvet.toString()));
        command.add("server");
        List<String> all = new ArrayList<>(List.of(
                "broker.id=" + id,
                "broker.port=" + PORT,
                "broker.advertised-host=" + network.address(node),
                "redis.uri=redis://" + network.address(REDIS)));
        all.addAll(settings);
        all.forEach(setting -> command.addAll(List.of("--set", setting)));
        return new NodeProcess(
                node, network.command(node, command), folder.resolve(node + ".log"), "Korvet is running");
    }

    /** The node of a broker. */
    public static String broker(int id) {
        return "broker-" + id;
    }

    /** What clients bootstrap from. */
    public String bootstrap() {
        return String.join(
                ",",
                brokers.stream()
                        .map(each -> network.address(each.name()) + ":" + PORT)
                        .toList());
    }

    /** The network between all. */
    public Network network() {
        return network;
    }

    /** Redis. */
    public NodeProcess redis() {
        return redis;
    }

    /** A broker. */
    public NodeProcess process(int id) {
        return brokers.get(id);
    }

    /** Whether clocks can be stepped here. */
    public boolean hasClocks() {
        return !clocks.isEmpty();
    }

    /** A broker's clock. */
    public SteppedClock clock(int id) {
        return clocks.get(id);
    }

    @Override
    public void close() {
        brokers.forEach(NodeProcess::close);
        redis.close();
        network.close();
    }
}
