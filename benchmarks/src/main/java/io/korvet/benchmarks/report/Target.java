package io.korvet.benchmarks.report;

import io.korvet.benchmarks.report.Samples.Series;
import java.util.Optional;

/**
 * What a ratio ought to be.
 *
 * @param title what is compared
 * @param above the series and the metric that are divided
 * @param below by these
 * @param limit of the ratio's median: at least when more is better, at most when less is
 */
public record Target(String title, Operand above, Operand below, double limit) {

    /** A metric of a series. */
    public record Operand(Series series, Metric metric) {}

    /** Whether a ratio's median keeps the limit. */
    public enum Verdict {
        /** It does. */
        MET,
        /** It doesn't. */
        MISSED,
        /** One side has no samples. */
        NOT_MEASURED
    }

    /** The ratio over all rounds. */
    public Optional<Spread> ratio(Samples samples) {
        return samples.ratio(above.series(), above.metric(), below.series(), below.metric());
    }

    /** Whether the limit is kept. */
    public Verdict verdict(Samples samples) {
        return ratio(samples)
                .map(ratio -> switch (above.metric().better()) {
                    case MORE -> ratio.median() >= limit;
                    case LESS -> ratio.median() <= limit;
                })
                .map(kept -> kept ? Verdict.MET : Verdict.MISSED)
                .orElse(Verdict.NOT_MEASURED);
    }

    /** The limit with its direction. */
    public String limitText() {
        return switch (above.metric().better()) {
            case MORE -> "≥ " + limit;
            case LESS -> "≤ " + limit;
        };
    }
}
