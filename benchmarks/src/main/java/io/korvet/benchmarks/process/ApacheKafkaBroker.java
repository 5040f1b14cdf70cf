package io.korvet.benchmarks.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;

/** Starts an Apache Kafka broker (KRaft, broker and controller in one process) with Kafka's own defaults. */
public final class ApacheKafkaBroker {

    /** The JVM options that both brokers get. */
    static final String HEAP = "-Xms512m -Xmx512m";

    private ApacheKafkaBroker() {}

    /**
     * Formats its data folder, starts it and waits until it listens.
     *
     * @param jars the folder of the broker's jars
     */
    public static Contender start(String name, Path jars, Path folder) throws IOException, InterruptedException {
        int port = ChildProcess.freePort();
        Files.createDirectories(folder);
        Path logging = Files.writeString(folder.resolve("log4j2.properties"), """
                rootLogger.level=WARN
                rootLogger.appenderRef.out.ref=OUT
                appender.out.type=Console
                appender.out.name=OUT
                appender.out.layout.type=PatternLayout
                appender.out.layout.pattern=%d %p %m (%c)%n
                """);
        Path settings =
                Files.writeString(folder.resolve("server.properties"), settings(port, ChildProcess.freePort(), folder));
        List<String> java = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dlog4j2.configurationFile=" + logging,
                "-cp",
                jars.resolve("*").toString());
        try (ChildProcess format = ChildProcess.start(
                "format",
                folder,
                Map.of(),
                plus(
                        java,
                        List.of("-XX:TieredStopAtLevel=1"),
                        List.of(
                                "kafka.tools.StorageTool",
                                "format",
                                "-t",
                                Uuid.randomUuid().toString(),
                                "-c",
                                settings.toString())))) {
            format.awaitSuccess(Duration.ofSeconds(60));
        }
        ChildProcess broker = ChildProcess.start(
                "broker",
                folder,
                Map.of(),
                plus(java, List.of(HEAP.split(" ", -1)), List.of("kafka.Kafka", settings.toString())));
        try {
            broker.awaitListening(port, Duration.ofSeconds(90));
        } catch (IOException | InterruptedException failure) {
            broker.close();
            throw failure;
        }
        return new Contender(name, Contender.Protocol.KAFKA, port, 0, List.of(broker));
    }

    private static String settings(int port, int controllerPort, Path folder) {
        return """
                process.roles=broker,controller
                node.id=0
                controller.quorum.voters=0@127.0.0.1:%2$d
                controller.listener.names=CONTROLLER
                listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
                listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
                log.dirs=%3$s
                offsets.topic.replication.factor=1
                transaction.state.log.replication.factor=1
                transaction.state.log.min.isr=1
                file.delete.delay.ms=1000
                """.formatted(port, controllerPort, folder.resolve("data"));
    }

    private static List<String> plus(List<String> java, List<String> options, List<String> main) {
        List<String> command = new ArrayList<>(java);
        command.addAll(1, options);
        command.addAll(main);
        return command;
    }
}
