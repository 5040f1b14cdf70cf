package io.korvet.benchmarks;

import io.korvet.benchmarks.process.Contender;
import io.korvet.benchmarks.process.Machine;
import io.korvet.benchmarks.process.RedisServer.Persistence;
import io.korvet.benchmarks.report.BenchmarkDocument;
import io.korvet.benchmarks.report.BenchmarkDocument.Part;
import io.korvet.benchmarks.report.ResultTables;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command behind {@code benchmarks/run}: starts the contenders, measures them in turn, prints or writes the tables. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = "Measures Korvet, Apache Kafka and plain Redis side by side.")
public final class EndToEnd implements Callable<Integer> {

    /** A system that can take part. */
    enum Participant {
        /** Korvet with a Redis of its own. */
        KORVET,
        /** An Apache Kafka broker. */
        KAFKA,
        /** Redis alone. */
        REDIS
    }

    /** What to measure: one of them. */
    static final class Extent {
        @Option(names = "--quick", description = "One short round, below a minute.")
        boolean quick;

        @Option(names = "--full", description = "All measurements, five rounds, below 25 minutes (the default).")
        boolean full;

        @Option(names = "--archive", description = "Only the cold tier: copies to it and reads from it, 10 minutes.")
        boolean archive;
    }

    @ArgGroup
    private Extent extent = new Extent();

    @Mixin
    private ServerOptions servers = new ServerOptions();

    @Option(names = "--write", description = "Replace the results in docs/benchmarks.md instead of printing them.")
    private boolean write;

    @Option(names = "--everysec", description = "Also measure with Redis's append-only file, synced every second.")
    private boolean everySecond;

    @Option(names = "--rounds", paramLabel = "N", description = "Another number of rounds.")
    private int rounds;

    @Option(names = "--only", paramLabel = "REGEX", description = "Only measurements whose name has a match.")
    private @Nullable Pattern only;

    @Option(
            names = "--contenders",
            split = ",",
            paramLabel = "NAME",
            description = "Who takes part: ${COMPLETION-CANDIDATES} (default: all).")
    private Set<Participant> participants = Set.of(Participant.values());

    @Option(names = "--document", paramLabel = "FILE", required = true, description = "What --write changes.")
    private Path document = Path.of("");

    /** Runs the command and exits: 0 when everything could be measured, whether or not the targets are met. */
    public static void main(String... arguments) {
        System.exit(new CommandLine(new EndToEnd())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOverwrittenOptionsAllowed(true)
                .execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        long start = System.nanoTime();
        List<String> machine = Machine.describe(servers.redisServer());
        List<Contender> contenders = new ArrayList<>();
        Rounds run;
        try {
            startAll(contenders);
            run = new Rounds(contenders, System.err::println);
            run.run(scale());
        } finally {
            contenders.forEach(Contender::close);
            servers.removeData();
        }
        String results = report(run, machine, Duration.ofNanos(System.nanoTime() - start));
        if (write) {
            BenchmarkDocument.write(document, extent.archive ? Part.ARCHIVE : Part.BROKER, results);
        } else {
            System.out.println(results);
        }
        return run.failures().isEmpty() ? 0 : 1;
    }

    private Scale scale() {
        Scale scale = extent.archive ? Scale.archive() : extent.quick ? Scale.quick() : Scale.full();
        if (rounds > 0) {
            scale = scale.withRounds(rounds);
        }
        return only == null ? scale : scale.only(only);
    }

    private void startAll(List<Contender> started) throws IOException, InterruptedException {
        if (extent.archive) {
            started.add(servers.korvetWithArchive(Targets.KORVET));
            return;
        }
        if (participants.contains(Participant.KAFKA)) {
            started.add(servers.kafka(Targets.KAFKA));
        }
        if (participants.contains(Participant.KORVET)) {
            started.add(servers.korvet(Targets.KORVET, Persistence.NONE));
        }
        if (participants.contains(Participant.REDIS)) {
            started.add(servers.redis(Targets.REDIS, Persistence.NONE));
        }
        if (everySecond && participants.contains(Participant.KORVET)) {
            started.add(servers.korvet(Targets.KORVET_APPEND_ONLY, Persistence.EVERY_SECOND));
        }
        if (everySecond && participants.contains(Participant.REDIS)) {
            started.add(servers.redis(Targets.REDIS_APPEND_ONLY, Persistence.EVERY_SECOND));
        }
    }

    private String report(Rounds run, List<String> machine, Duration took) {
        ResultTables tables = new ResultTables(run.samples(), Targets.KAFKA);
        StringBuilder text = new StringBuilder();
        text.append("Run of %s, %d minutes.\n\n".formatted(LocalDate.now(ZoneOffset.UTC), took.toMinutes()));
        machine.forEach(line -> text.append("- ").append(line).append('\n'));
        text.append("\n### Targets\n\n").append(tables.targets(extent.archive ? Targets.archive() : Targets.all()));
        text.append("\n### Results\n\n").append(tables.results());
        if (!run.failures().isEmpty()) {
            text.append("\n### Not measured\n\n");
            run.failures().forEach(failure -> text.append("- ").append(failure).append('\n'));
        }
        return text.toString();
    }
}
