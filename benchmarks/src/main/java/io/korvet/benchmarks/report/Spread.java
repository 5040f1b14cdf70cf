package io.korvet.benchmarks.report;

import java.util.List;

/**
 * The values of some rounds, summed up.
 *
 * @param median the middle one, or the mean of the two in the middle
 * @param min the smallest
 * @param max the largest
 * @param rounds how many there were
 */
public record Spread(double median, double min, double max, int rounds) {

    /** Sums up at least one value. */
    public static Spread of(List<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("no values: expected at least one");
        }
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        double median = sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        return new Spread(median, sorted.get(0), sorted.get(sorted.size() - 1), sorted.size());
    }
}
