package io.korvet.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.benchmarks.report.Samples.Series;
import io.korvet.benchmarks.report.Target.Operand;
import io.korvet.benchmarks.report.Target.Verdict;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SamplesTest {

    private static final Series OURS = new Series("produce", "ours");
    private static final Series THEIRS = new Series("produce", "theirs");
    private static final Metric RATE = Metric.RECORDS_PER_SECOND;

    private final Samples samples = new Samples();

    @Test
    void aRatioIsTakenRoundByRoundAndOnlyOfRoundsThatBothHave() {
        rate(OURS, 1, 50);
        rate(THEIRS, 1, 100);
        rate(OURS, 2, 20);
        rate(THEIRS, 2, 10);
        rate(OURS, 3, 1_000);

        assertThat(samples.ratio(OURS, RATE, THEIRS, RATE)).contains(new Spread(1.25, 0.5, 2.0, 2));
    }

    @Test
    void theMedianOfAnEvenNumberIsBetweenTheTwoInTheMiddle() {
        assertThat(Spread.of(List.of(4.0, 1.0, 3.0, 100.0))).isEqualTo(new Spread(3.5, 1.0, 100.0, 4));
    }

    @Test
    void aTargetIsMetAtItsLimitAndNotMeasuredWithoutSamples() {
        Target target = new Target("rate", new Operand(OURS, RATE), new Operand(THEIRS, RATE), 0.8);
        assertThat(target.verdict(samples)).isEqualTo(Verdict.NOT_MEASURED);

        rate(OURS, 1, 80);
        rate(THEIRS, 1, 100);
        assertThat(target.verdict(samples)).isEqualTo(Verdict.MET);

        rate(OURS, 1, 79);
        assertThat(target.verdict(samples)).isEqualTo(Verdict.MISSED);
    }

    @Test
    void aTargetWithoutDivisorIsOfTheMetricItself() {
        Target target = new Target("rate", new Operand(OURS, RATE), null, 150_000);
        rate(OURS, 1, 160_000);

        assertThat(target.limitText()).isEqualTo("≥ 150,000");
        assertThat(target.verdict(samples)).isEqualTo(Verdict.MET);
        assertThat(new ResultTables(samples, "theirs").targets(List.of(target)))
                .contains("| rate | ≥ 150,000 | 160,000 (160,000–160,000) | 1 | met |");
    }

    @Test
    void aRowOfTheTableHoldsTheSpreadAndTheRatio() {
        rate(OURS, 1, 1_500);
        rate(THEIRS, 1, 3_000);

        assertThat(new ResultTables(samples, "theirs").results())
                .contains("| produce | ours | 1,500 (1,500–1,500) |", "| 0.50 (0.50–0.50) |");
    }

    private void rate(Series series, int round, double rate) {
        samples.add(series, round, Map.of(RATE, rate));
    }
}
