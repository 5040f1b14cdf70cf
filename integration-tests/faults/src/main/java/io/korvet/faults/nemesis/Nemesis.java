package io.korvet.faults.nemesis;

import io.korvet.faults.machine.Cluster;
import io.korvet.faults.machine.Network;
import io.korvet.faults.machine.NodeProcess;
import io.korvet.faults.machine.SteppedClock;
import io.korvet.faults.nemesis.Step.Strike;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Does to a cluster what a step says. */
public final class Nemesis {
    private static final Duration APART = Duration.ofMinutes(10);

    private final Cluster cluster;
    private final Network network;
    private final List<Fault> begun = new ArrayList<>();

    /** One for a cluster that runs. */
    public Nemesis(Cluster cluster) {
        this.cluster = cluster;
        this.network = cluster.network();
    }

    /** What can be done on this machine. */
    public static Set<FaultKind> possible(Cluster cluster) {
        Set<FaultKind> kinds = EnumSet.allOf(FaultKind.class);
        if (!cluster.hasClocks()) {
            kinds.removeAll(
                    EnumSet.of(FaultKind.CLOCK_AHEAD, FaultKind.CLOCK_BEHIND, FaultKind.STARTED_WITH_CLOCK_APART));
        }
        if (!cluster.network().shapes()) {
            kinds.removeAll(EnumSet.of(FaultKind.BROKER_SLOW, FaultKind.REDIS_SLOW));
        }
        return kinds;
    }

    /** Lets the faults of a step happen. */
    public void begin(Step step) {
        List<Strike> strikes = new ArrayList<>(step.strikes());
        strikes.sort(Comparator.comparingInt(strike -> order(strike.kind())));
        for (Strike strike : strikes) {
            Fault fault = fault(strike);
            fault.begin();
            begun.add(fault);
        }
    }

    /** Undoes all that is done, the last first; returns when processes that were killed can be used again. */
    public void end() {
        Collections.reverse(begun);
        begun.forEach(Fault::end);
        begun.clear();
    }

    /** A broker can only be started while Redis and the way there are well: it starts before the others begin or after they end. */
    private static int order(FaultKind kind) {
        return kind == FaultKind.STARTED_WITH_CLOCK_APART ? 0 : kind == FaultKind.BROKER_KILLED ? 1 : 2;
    }

    private Fault fault(Strike strike) {
        int id = strike.broker();
        String node = Cluster.broker(id);
        return switch (strike.kind()) {
            case BROKER_KILLED -> of(cluster.process(id)::kill, cluster.process(id)::start);
            case BROKER_PAUSED -> of(cluster.process(id)::pause, cluster.process(id)::resume);
            case BROKER_CUT_FROM_REDIS -> new Cut(List.of(node, Cluster.REDIS, Cluster.REDIS, node));
            case BROKER_TO_REDIS_LOST -> new Cut(List.of(node, Cluster.REDIS));
            case REDIS_TO_BROKER_LOST -> new Cut(List.of(Cluster.REDIS, node));
            case BROKER_CUT_FROM_CLIENTS -> new Cut(List.of(node, Cluster.CLIENTS, Cluster.CLIENTS, node));
            case CLIENTS_TO_BROKER_LOST -> new Cut(List.of(Cluster.CLIENTS, node));
            case BROKER_TO_CLIENTS_LOST -> new Cut(List.of(node, Cluster.CLIENTS));
            case BROKERS_CUT_FROM_EACH_OTHER -> new Cut(brokersApart());
            case BROKER_SLOW -> slow(node, strike.draw() % 2 == 0 ? "256kbit" : "1mbit");
            case REDIS_SLOW -> slow(Cluster.REDIS, strike.draw() % 2 == 0 ? "1mbit" : "4mbit");
            case REDIS_KILLED -> of(cluster.redis()::kill, cluster.redis()::start);
            case REDIS_PAUSED -> of(cluster.redis()::pause, cluster.redis()::resume);
            case CLOCK_AHEAD -> clock(id, APART);
            case CLOCK_BEHIND -> clock(id, APART.negated());
            case STARTED_WITH_CLOCK_APART -> startedApart(id, strike.draw() % 2 == 0 ? APART : APART.negated());
            case TWO_LEADERS -> new RowTakenAway(cluster, id);
        };
    }

    private static List<String> brokersApart() {
        List<String> pairs = new ArrayList<>();
        for (int from = 0; from < Cluster.BROKERS; from++) {
            for (int to = 0; to < Cluster.BROKERS; to++) {
                if (from != to) {
                    pairs.addAll(List.of(Cluster.broker(from), Cluster.broker(to)));
                }
            }
        }
        return pairs;
    }

    private Fault slow(String node, String rate) {
        return of(() -> network.slow(node, rate), () -> network.fast(node));
    }

    private Fault clock(int id, Duration ahead) {
        SteppedClock clock = cluster.clock(id);
        return of(() -> clock.set(ahead), () -> clock.set(Duration.ZERO));
    }

    private Fault startedApart(int id, Duration ahead) {
        NodeProcess broker = cluster.process(id);
        SteppedClock clock = cluster.clock(id);
        return of(
                () -> {
                    broker.kill();
                    clock.set(ahead);
                    broker.start();
                },
                () -> clock.set(Duration.ZERO));
    }

    private static Fault of(Runnable begin, Runnable end) {
        return new Fault() {
            @Override
            public void begin() {
                begin.run();
            }

            @Override
            public void end() {
                end.run();
            }
        };
    }

    /** Directions that are lost, as pairs of sender and receiver. */
    private final class Cut implements Fault {
        private final List<String> pairs;
        private final List<Integer> rules = new ArrayList<>();

        Cut(List<String> pairs) {
            this.pairs = pairs;
        }

        @Override
        public void begin() {
            for (int i = 0; i < pairs.size(); i += 2) {
                rules.add(network.cut(pairs.get(i), pairs.get(i + 1)));
            }
        }

        @Override
        public void end() {
            rules.forEach(network::heal);
        }
    }

    /** Takes a broker's row out of the registry ten times a second. */
    private static final class RowTakenAway implements Fault {
        private final List<String> command;
        private @Nullable Process process;

        RowTakenAway(Cluster cluster, int id) {
            command = cluster.network()
                    .command(
                            Cluster.REDIS,
                            List.of("redis-cli", "-r", "-1", "-i", "0.1", "HDEL", "korvet:broker:nodes", "" + id));
        }

        @Override
        public void begin() {
            try {
                Process started = new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(Redirect.DISCARD)
                        .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                        .start();
                Runtime.getRuntime().addShutdownHook(new Thread(started::destroyForcibly));
                process = started;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void end() {
            if (process != null) {
                process.destroyForcibly();
            }
        }
    }
}
