package io.korvet.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** All samples of a run, by measurement, contender and round. Not thread-safe. */
public final class Samples {

    /** Where samples belong: one measurement on one contender. */
    public record Series(String measurement, String contender) {}

    private final Map<Series, SortedMap<Integer, Map<Metric, Double>>> samples = new LinkedHashMap<>();

    /** Keeps what one round yielded. */
    public void add(Series series, int round, Map<Metric, Double> sample) {
        samples.computeIfAbsent(series, any -> new TreeMap<>()).put(round, Map.copyOf(sample));
    }

    /** The measurements that have samples, in the order they came. */
    public List<String> measurements() {
        return samples.keySet().stream().map(Series::measurement).distinct().toList();
    }

    /** The contenders that have samples of a measurement, in the order they came. */
    public List<String> contenders(String measurement) {
        return samples.keySet().stream()
                .filter(series -> series.measurement().equals(measurement))
                .map(Series::contender)
                .sorted()
                .toList();
    }

    /** A metric over all rounds, if it was measured. */
    public Optional<Spread> spread(Series series, Metric metric) {
        List<Double> values = rounds(series).values().stream()
                .filter(sample -> sample.containsKey(metric))
                .map(sample -> sample.get(metric))
                .toList();
        return values.isEmpty() ? Optional.empty() : Optional.of(Spread.of(values));
    }

    /** One metric divided by another (or the same of another series), round by round. */
    public Optional<Spread> ratio(Series above, Metric aboveMetric, Series below, Metric belowMetric) {
        Map<Integer, Map<Metric, Double>> divisors = rounds(below);
        List<Double> ratios = new ArrayList<>();
        rounds(above).forEach((round, sample) -> {
            Double dividend = sample.get(aboveMetric);
            Double divisor = divisors.getOrDefault(round, Map.of()).get(belowMetric);
            if (dividend != null && divisor != null && divisor > 0) {
                ratios.add(dividend / divisor);
            }
        });
        return ratios.isEmpty() ? Optional.empty() : Optional.of(Spread.of(ratios));
    }

    private SortedMap<Integer, Map<Metric, Double>> rounds(Series series) {
        return samples.getOrDefault(series, new TreeMap<>());
    }
}
