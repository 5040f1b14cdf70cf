package io.korvet.benchmarks;

import io.korvet.benchmarks.load.ClientProduce;
import io.korvet.benchmarks.load.Measurement;
import io.korvet.benchmarks.load.PreparedProduce;
import io.korvet.benchmarks.load.TailConsume;
import io.korvet.benchmarks.process.Contender;
import io.korvet.benchmarks.process.RedisServer.Persistence;
import io.korvet.benchmarks.profile.AsyncProfiler;
import io.korvet.benchmarks.profile.HotSpots;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command behind {@code benchmarks/profile}: samples a broker under load. */
@Command(
        name = "profile",
        mixinStandardHelpOptions = true,
        description = "Writes where a broker's time goes: collapsed stacks, a flame graph, a table.")
public final class Profile implements Callable<Integer> {

    /** What the broker does meanwhile. */
    enum Load {
        /** Kafka's producer client, 100 B, one partition. */
        CLIENT,
        /** Prepared batches of 100, 100 B, one partition. */
        PREPARED,
        /** The same with a consumer at the tail. */
        TAIL
    }

    /** Which broker. */
    enum Broker {
        /** Korvet. */
        KORVET,
        /** Apache Kafka, to compare with. */
        KAFKA
    }

    private static final int RECORDS = 500_000;
    private static final int ROWS = 30;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    @Mixin
    private ServerOptions servers = new ServerOptions();

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "Where to write.")
    private Path out = Path.of("");

    @Option(names = "--load", description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private Load load = Load.PREPARED;

    @Option(names = "--broker", description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private Broker broker = Broker.KORVET;

    @Option(names = "--event", description = "ctimer, wall, alloc or lock (default: ${DEFAULT-VALUE}).")
    private String event = "ctimer";

    @Option(names = "--seconds", description = "How long, about (default: ${DEFAULT-VALUE}).")
    private int seconds = 15;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            description = "The same load before, until the JVM has compiled what is hot (default: ${DEFAULT-VALUE}).")
    private int warmUpSeconds = 30;

    /** Runs the command and exits. */
    public static void main(String... arguments) {
        System.exit(new CommandLine(new Profile())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOverwrittenOptionsAllowed(true)
                .execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Path folder = Files.createDirectories(out.toAbsolutePath());
        String name = "%s-%s-%s".formatted(broker, load, event).toLowerCase(Locale.ROOT);
        Path collapsed = folder.resolve(name + ".collapsed");
        try (Contender contender = contender()) {
            Measurement measurement = measurement();
            repeat(measurement, contender, warmUpSeconds);
            AsyncProfiler profiler = AsyncProfiler.of(javaProcess(contender).pid(), folder);
            profiler.start(event);
            repeat(measurement, contender, seconds);
            profiler.stop(collapsed, folder.resolve(name + ".html"));
        } finally {
            servers.removeData();
        }
        String tables = HotSpots.of(Files.readAllLines(collapsed)).tables(ROWS);
        Files.writeString(folder.resolve(name + ".txt"), tables);
        System.out.println(tables);
        System.out.println("Written to " + folder.resolve(name) + ".{collapsed,html,txt}");
        return 0;
    }

    private static void repeat(Measurement measurement, Contender contender, int forSeconds) throws Exception {
        long end = System.nanoTime() + forSeconds * NANOS_PER_SECOND;
        while (System.nanoTime() < end) {
            System.err.println(Rounds.text(measurement.run(contender)));
        }
    }

    private Contender contender() throws Exception {
        return switch (broker) {
            case KORVET -> servers.korvet(Targets.KORVET, Persistence.NONE);
            case KAFKA -> servers.kafka(Targets.KAFKA);
        };
    }

    private Measurement measurement() {
        return switch (load) {
            case CLIENT -> new ClientProduce(RECORDS, 100, 1);
            case PREPARED -> new PreparedProduce(RECORDS, 100, 100, 1);
            case TAIL -> new TailConsume(RECORDS, 100);
        };
    }

    /** The broker's JVM, which a start script may have begun as a child. */
    private static ProcessHandle javaProcess(Contender contender) {
        ProcessHandle root = contender.processes().stream()
                .filter(process -> process.name().equals("broker"))
                .findFirst()
                .orElseThrow()
                .handle();
        return Stream.concat(Stream.of(root), root.descendants())
                .filter(process -> process.info().command().orElse("").endsWith("java"))
                .findFirst()
                .orElse(root);
    }
}
