package io.korvet.benchmarks.report;

import io.korvet.benchmarks.report.Samples.Series;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a ratio, or a metric by itself, ought to be.
 *
 * @param title what is compared
 * @param above the series and the metric that are divided
 * @param below by these; {@code null} for a metric by itself
 * @param limit of the median: at least when more is better, at most when less is
 */
public record Target(String title, Operand above, @Nullable Operand below, double limit) {

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

    /** The ratio, or the metric, over all rounds. */
    public Optional<Spread> ratio(Samples samples) {
        if (below == null) {
            return samples.spread(above.series(), above.metric());
        }
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
            case MORE -> "≥ " + text(limit);
            case LESS -> "≤ " + text(limit);
        };
    }

    /** A value in the precision that suits it. */
    public String text(double value) {
        return below == null ? above.metric().format(value) : String.format(Locale.ROOT, "%.2f", value);
    }
}
