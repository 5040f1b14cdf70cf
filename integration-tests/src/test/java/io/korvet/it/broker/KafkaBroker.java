package io.korvet.it.broker;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** Apache Kafka (KRaft, one node) from its Maven artifacts, which are on the tests' class path. */
public final class KafkaBroker implements TestBroker {
    private final int port = FreePorts.next();
    private final Path folder;

    @Nullable
    private ChildProcess process;

    /** A broker with an empty data folder; not started. */
    public KafkaBroker() {
        folder = ChildProcess.workFolder("kafka-" + port);
        Path properties = folder.resolve("server.properties");
        if (!Files.exists(properties)) {
            write(properties, settings(FreePorts.next()));
            try (ChildProcess format = ChildProcess.start(
                    "kafka-format",
                    command(
                            "kafka.tools.StorageTool",
                            "format",
                            "-t",
                            Uuid.randomUuid().toString(),
                            "-c",
                            properties.toString()))) {
                if (format.awaitExit(Duration.ofMinutes(1)) != 0) {
                    throw new IllegalStateException("no Kafka broker:\n" + format.output());
                }
            }
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::deleteFolder));
    }

    private Properties settings(int controllerPort) {
        Properties settings = new Properties();
        settings.setProperty("process.roles", "broker,controller");
        settings.setProperty("node.id", "0");
        settings.setProperty("controller.quorum.voters", "0@127.0.0.1:" + controllerPort);
        settings.setProperty("controller.listener.names", "CONTROLLER");
        settings.setProperty(
                "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
        settings.setProperty("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port);
        settings.setProperty("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.setProperty("log.dirs", folder.resolve("data").toString());
        settings.setProperty("group.initial.rebalance.delay.ms", "0");
        for (String internal : List.of("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")) {
            settings.setProperty(internal + ".replication.factor", "1");
            settings.setProperty(internal + ".num.partitions", "1");
        }
        settings.setProperty("transaction.state.log.min.isr", "1");
        settings.setProperty("share.coordinator.state.topic.min.isr", "1");
        return settings;
    }

    private static void write(Path file, Properties settings) {
        try (var writer = Files.newBufferedWriter(file)) {
            settings.store(writer, null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> command(String... mainAndArguments) {
        List<String> command = new java.util.ArrayList<>(
                List.of(ChildProcess.java(), "-Xmx768m", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(mainAndArguments));
        return command;
    }

    @Override
    public Kind kind() {
        return Kind.KAFKA;
    }

    @Override
    public String bootstrap() {
        return "127.0.0.1:" + port;
    }

    @Override
    public long residentBytes() {
        return process == null ? 0 : process.residentBytes();
    }

    @Override
    public void kill() {
        Objects.requireNonNull(process).kill();
    }

    @Override
    public void stop() {
        Objects.requireNonNull(process).terminate();
    }

    @Override
    public void start() {
        ChildProcess started = ChildProcess.start(
                "kafka-" + port,
                command("kafka.Kafka", folder.resolve("server.properties").toString()));
        process = started;
        await("Kafka listens; log " + started.log())
                .atMost(Duration.ofMinutes(2))
                .failFast(started::assertAlive)
                .until(() -> FreePorts.listening(port));
    }

    @Override
    public void close() {
        if (process != null) {
            process.kill();
        }
        deleteFolder();
    }

    private void deleteFolder() {
        ChildProcess running = process;
        if (running != null && running.alive()) {
            running.kill();
        }
        Folders.delete(folder);
    }
}
