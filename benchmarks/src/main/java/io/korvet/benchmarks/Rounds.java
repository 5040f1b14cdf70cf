package io.korvet.benchmarks;

import io.korvet.benchmarks.load.Measurement;
import io.korvet.benchmarks.process.Contender;
import io.korvet.benchmarks.report.Metric;
import io.korvet.benchmarks.report.Samples;
import io.korvet.benchmarks.report.Samples.Series;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Runs the measurements round by round, all contenders of a measurement one after another in an order that rotates. */
final class Rounds {

    private final List<Contender> contenders;
    private final Consumer<String> progress;
    private final Samples samples = new Samples();
    private final List<String> failures = new ArrayList<>();

    Rounds(List<Contender> contenders, Consumer<String> progress) {
        this.contenders = List.copyOf(contenders);
        this.progress = progress;
    }

    /** Runs the warm-up and as many rounds as the time allows. */
    void run(Scale scale) throws InterruptedException {
        long deadline = System.nanoTime() + scale.limit().toNanos();
        round(0, scale.warmUp(), (series, sample) -> {});
        long longest = 0;
        for (int round = 1; round <= scale.rounds(); round++) {
            long start = System.nanoTime();
            if (round > 1 && start + longest > deadline) {
                progress.accept("no time for round " + round + " and later");
                return;
            }
            int number = round;
            round(round, scale.measurements(), (series, sample) -> samples.add(series, number, sample));
            longest = Math.max(longest, System.nanoTime() - start);
        }
    }

    private void round(int round, List<Measurement> measurements, Results results) throws InterruptedException {
        int turn = round;
        for (Measurement measurement : measurements) {
            List<Contender> order = new ArrayList<>(contenders.stream()
                    .filter(contender -> contender.protocol() == measurement.protocol())
                    .toList());
            Collections.rotate(order, turn++);
            for (Contender contender : order) {
                Series series = new Series(measurement.name(), contender.name());
                try {
                    Map<Metric, Double> sample = measurement.run(contender);
                    results.accept(series, sample);
                    progress.accept("round %d: %s: %s: %s"
                            .formatted(round, series.measurement(), series.contender(), text(sample)));
                } catch (InterruptedException interrupted) {
                    throw interrupted;
                } catch (Exception failure) {
                    failures.add("%s: %s: %s".formatted(series.measurement(), series.contender(), failure));
                    progress.accept("round " + round + ": FAILED: " + failures.get(failures.size() - 1));
                }
            }
        }
    }

    /** What was measured. */
    Samples samples() {
        return samples;
    }

    /** What could not be measured. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    /** A sample in one line. */
    static String text(Map<Metric, Double> sample) {
        return String.join(
                ", ",
                sample.entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(entry -> entry.getKey().format(entry.getValue()) + " "
                                + entry.getKey().title())
                        .toList());
    }

    /** Takes the sample of one run. */
    private interface Results {
        void accept(Series series, Map<Metric, Double> sample);
    }
}
