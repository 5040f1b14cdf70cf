package io.korvet.faults.nemesis;

import io.korvet.faults.machine.Cluster;
import io.korvet.faults.nemesis.Step.Strike;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * The steps of a run, which follow from the seed alone: rounds in which each kind comes once by itself, and some in pairs, in an
 * order that the seed decides.
 */
public final class Schedule {
    private static final int PAIRS = 4;
    private static final Set<FaultKind> OF_NO_BROKER = EnumSet.of(
            FaultKind.BROKERS_CUT_FROM_EACH_OTHER,
            FaultKind.REDIS_SLOW,
            FaultKind.REDIS_KILLED,
            FaultKind.REDIS_PAUSED);
    private static final Set<FaultKind> OF_REDIS = EnumSet.of(FaultKind.REDIS_KILLED, FaultKind.REDIS_PAUSED);

    private final Random random;
    private final List<FaultKind> kinds;
    private final boolean brief;
    private final Deque<List<FaultKind>> round = new ArrayDeque<>();
    private int steps;

    /**
     * A schedule.
     *
     * @param kinds what can be done on this machine
     * @param brief whether faults last seconds, for runs of minutes; otherwise up to a minute
     */
    public Schedule(long seed, Set<FaultKind> kinds, boolean brief) {
        this.random = new Random(seed);
        this.kinds = List.copyOf(EnumSet.copyOf(kinds));
        this.brief = brief;
    }

    /** The next step. */
    public Step next() {
        if (round.isEmpty()) {
            List<List<FaultKind>> all = new ArrayList<>();
            kinds.forEach(kind -> all.add(List.of(kind)));
            for (int i = 0; i < PAIRS && kinds.size() > 1; i++) {
                all.add(pair());
            }
            Collections.shuffle(all, random);
            round.addAll(all);
        }
        List<Strike> strikes = new ArrayList<>();
        int broker = random.nextInt(Cluster.BROKERS);
        for (FaultKind kind : round.remove()) {
            strikes.add(new Strike(kind, OF_NO_BROKER.contains(kind) ? -1 : broker, random.nextInt(100)));
            broker = (broker + 1 + random.nextInt(Cluster.BROKERS - 1)) % Cluster.BROKERS;
        }
        return new Step(++steps, strikes, length(strikes));
    }

    /** Two kinds that don't get in each other's way: not two that stop Redis, not two of the same. */
    private List<FaultKind> pair() {
        while (true) {
            FaultKind one = kinds.get(random.nextInt(kinds.size()));
            FaultKind other = kinds.get(random.nextInt(kinds.size()));
            boolean bothSlow = one.name().endsWith("SLOW") && other.name().endsWith("SLOW");
            if (one != other && !bothSlow && !(OF_REDIS.contains(one) && OF_REDIS.contains(other))) {
                return List.of(one, other);
            }
            if (kinds.size() == 2) {
                return List.of(one);
            }
        }
    }

    /** Short ones are more frequent than long ones; Redis, which everybody needs, is away for less long. */
    private Duration length(List<Strike> strikes) {
        boolean redis = strikes.stream().anyMatch(strike -> OF_REDIS.contains(strike.kind()));
        double longest = brief ? redis ? 2 : 5 : redis ? 12 : 60;
        double seconds = Math.exp(random.nextDouble() * Math.log(longest));
        return Duration.ofMillis((long) (seconds * 1_000));
    }
}
