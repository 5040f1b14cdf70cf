package io.korvet.faults;

import io.korvet.faults.check.Anomalies;
import io.korvet.faults.check.Anomaly;
import io.korvet.faults.check.Checker;
import io.korvet.faults.check.Rule;
import io.korvet.faults.history.Event;
import io.korvet.faults.history.History;
import io.korvet.faults.machine.Cluster;
import io.korvet.faults.machine.Network;
import io.korvet.faults.machine.Shell;
import io.korvet.faults.machine.Waiting;
import io.korvet.faults.nemesis.FaultKind;
import io.korvet.faults.nemesis.Nemesis;
import io.korvet.faults.nemesis.Schedule;
import io.korvet.faults.nemesis.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command behind {@code integration-tests/faults/run}. Exit codes: 0 no anomaly, 1 an anomaly, 2 it couldn't be run. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        exitCodeOnExecutionException = 2,
        description =
                "Three brokers, Redis and clients in network namespaces, with faults that a seed decides; then every"
                        + " acknowledged record is looked for and every read is compared.")
public final class FaultRun implements Callable<Integer> {
    private static final Duration WARM_UP = Duration.ofSeconds(60);
    private static final Duration CALM = Duration.ofMillis(500);
    /** Up to this length a run has brief faults and impatient clients. */
    private static final Duration SHORT = Duration.ofMinutes(5);

    @Option(names = "--minutes", paramLabel = "N", description = "How long faults go on (default: ${DEFAULT-VALUE}).")
    private double minutes = 30;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Decides the faults and what clients send (default: random).")
    private long seed = ThreadLocalRandom.current().nextInt(1, 1_000_000);

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Records a second of each producer (default: ${DEFAULT-VALUE}).")
    private int rate = 100;

    @Option(
            names = "--recovery",
            paramLabel = "SECONDS",
            description =
                    "In which time after a fault all clients must make" + " progress (default: ${DEFAULT-VALUE}).")
    private int recovery = 60;

    @Option(names = "--only", split = ",", paramLabel = "KIND", description = "Only these: ${COMPLETION-CANDIDATES}.")
    private Set<FaultKind> only = EnumSet.allOf(FaultKind.class);

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "A setting of the brokers.")
    private List<String> settings = new ArrayList<>();

    @Option(names = "--korvet", paramLabel = "FILE", required = true, description = "The start script, bin/korvet.")
    private Path korvet = Path.of("bin/korvet");

    @Option(
            names = "--folder",
            paramLabel = "DIR",
            required = true,
            description = "Where a folder for the run is made.")
    private Path folder = Path.of("target");

    private final Anomalies anomalies = new Anomalies();
    private final Recoveries recoveries = new Recoveries();
    private final List<String> report = new ArrayList<>();
    private final List<String> schedule = new ArrayList<>();
    private long start;

    /** Runs the command and ends the process. */
    public static void main(String... arguments) {
        System.exit(new CommandLine(new FaultRun())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments));
    }

    /** Why it can't be run on this machine; empty when it can. */
    public static Optional<String> unavailable() {
        return Stream.of("redis-server", "redis-cli")
                .filter(program -> !Shell.has(program))
                .map(program -> "there is no " + program + ": apt-get install redis-server")
                .findFirst()
                .or(Network::unavailable);
    }

    @Override
    public Integer call() throws IOException {
        Optional<String> reason = unavailable();
        if (reason.isPresent()) {
            System.err.println("can't be run: " + reason.get());
            return 2;
        }
        String name = Long.toString(seed, 36) + "-"
                + Integer.toString(ThreadLocalRandom.current().nextInt(36 * 36 * 36), 36);
        Path run = Files.createDirectories(folder.resolve("faults-" + name)).toAbsolutePath();
        say("seed " + seed + ", " + minutes + " minutes; histories and logs: " + run);
        Duration length = Duration.ofMillis((long) (minutes * 60_000));
        boolean brief = length.compareTo(SHORT) <= 0;
        List<String> all = new ArrayList<>(brief ? impatient() : List.of());
        all.addAll(settings);
        try (Cluster cluster = new Cluster(korvet.toAbsolutePath(), run, name, all)) {
            cluster.start();
            faults(cluster, run, length, brief);
        }
        Checker.Counts counts = Checker.check(History.in(run), anomalies);
        conclude(counts);
        Files.write(run.resolve("report.txt"), report);
        return anomalies.none() ? 0 : 1;
    }

    /** A run of minutes has no time for the usual half minute until a broker counts as gone. */
    private static List<String> impatient() {
        return List.of(
                "broker.heartbeat-interval=500ms",
                "broker.stale-after=2s",
                "redis.timeout=2s",
                "storage.worker.tick-interval=1s",
                "storage.worker.lease-duration=5s",
                "broker.rebalance-delay=500ms");
    }

    private void faults(Cluster cluster, Path run, Duration length, boolean brief) {
        Set<FaultKind> kinds = Nemesis.possible(cluster);
        Set<FaultKind> impossible = EnumSet.complementOf(EnumSet.copyOf(kinds));
        if (!impossible.isEmpty()) {
            say("can't be done here (clocks need a C compiler, slow links tc with tbf): " + impossible);
        }
        kinds.retainAll(only);
        List<String> arguments =
                List.of(cluster.bootstrap(), run.toString(), "" + seed, "" + rate, brief ? "3000" : "10000");
        try (ClientsProcess clients = new ClientsProcess(cluster, run, arguments)) {
            clients.mark("start");
            if (!clients.awaitPassed("start", WARM_UP)) {
                throw new IllegalStateException("clients don't start: " + clients.missing());
            }
            start = Event.now();
            Schedule steps = new Schedule(seed, kinds, brief);
            Nemesis nemesis = new Nemesis(cluster);
            while (Event.now() - start < length.toNanos() / 1_000 && step(steps.next(), nemesis, clients)) {
                Waiting.pause(CALM);
            }
            clients.stop();
            say(clients.counts());
        }
    }

    /** One step: fault, heal, recovery. Answers whether to go on. */
    private boolean step(Step step, Nemesis nemesis, ClientsProcess clients) {
        String begin = "b" + step.number();
        String heal = "h" + step.number();
        long begun = Event.now();
        clients.mark(begin);
        nemesis.begin(step);
        Waiting.pause(step.length());
        nemesis.end();
        clients.mark(heal);
        long healed = Event.now();
        boolean recovered = clients.awaitPassed(heal, Duration.ofSeconds(recovery));
        StringBuilder times = new StringBuilder();
        for (String kind : ClientsProcess.KINDS) {
            long time = clients.passed(heal, kind);
            times.append(' ')
                    .append(kind.toLowerCase(Locale.ROOT))
                    .append(' ')
                    .append(time)
                    .append(" ms");
            if (time >= 0) {
                recoveries.add(step.kinds(), kind, time);
            }
        }
        long outage = clients.passed(begin, "PRODUCE");
        if (outage >= 0) {
            recoveries.add(step.kinds(), "OUTAGE", outage);
        }
        String line = String.format(
                Locale.ROOT,
                "%8.1f s %3d %s; again:%s; producers from the begin: %d ms; %s",
                (begun - start) / 1e6,
                step.number(),
                step,
                times,
                outage,
                clients.counts());
        schedule.add(begun + " " + healed + " " + step);
        say(line);
        if (!recovered) {
            List<String> missing = clients.missing();
            anomalies.add(
                    Rule.STUCK,
                    healed,
                    "clients",
                    "no progress within " + recovery + " s after " + step,
                    () -> missing);
        }
        return true;
    }

    private void conclude(Checker.Counts counts) {
        say("");
        say("seed " + seed + ", " + schedule.size() + " steps");
        say(counts.sent() + " sent, " + counts.acknowledged() + " acknowledged, " + counts.failed() + " failed, "
                + counts.unknown() + " unknown (" + counts.unknownStored() + " of them stored), " + counts.stored()
                + " in the log, " + counts.read() + " read, " + counts.groupRead() + " read by the group, "
                + counts.commits() + " positions committed");
        say("");
        say(
                "Times in milliseconds until all clients made progress in all partitions after the end of a fault, median / maximum:");
        say("");
        recoveries.table().forEach(this::say);
        say("");
        say(anomalies.none() ? "0 anomalies" : "ANOMALIES: " + anomalies.counts());
        anomalies.kept().forEach(this::show);
    }

    private void show(Anomaly anomaly) {
        say("");
        say(anomaly.rule() + " at " + String.format(Locale.ROOT, "%.1f s", (anomaly.time() - start) / 1e6) + ", "
                + anomaly.client() + ": " + anomaly.text());
        String during = during(anomaly.time());
        if (during != null) {
            say("    during " + during);
        }
        anomaly.around().forEach(line -> say("    " + line));
    }

    /** The step that was on at a time, or ended in the ten seconds before. */
    private @Nullable String during(long time) {
        String found = null;
        for (String line : schedule) {
            String[] parts = line.split(" ", 3);
            if (Long.parseLong(parts[0]) <= time && time <= Long.parseLong(parts[1]) + 10_000_000) {
                found = parts[2];
            }
        }
        return found;
    }

    private void say(String line) {
        System.out.println(line);
        report.add(line);
    }
}
