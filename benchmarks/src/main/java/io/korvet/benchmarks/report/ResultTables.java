package io.korvet.benchmarks.report;

import io.korvet.benchmarks.report.Samples.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes samples as Markdown: one table of targets, one row per measurement, contender and metric. */
public final class ResultTables {

    private static final List<List<Metric>> TABLES = List.of(
            List.of(
                    Metric.RECORDS_PER_SECOND,
                    Metric.MEGABYTES_PER_SECOND,
                    Metric.CLIENT_CPU,
                    Metric.BROKER_CPU,
                    Metric.REDIS_CPU,
                    Metric.BROKER_MEMORY,
                    Metric.REDIS_MEMORY),
            List.of(
                    Metric.ACKNOWLEDGED_P50,
                    Metric.ACKNOWLEDGED_P99,
                    Metric.ACKNOWLEDGED_P999,
                    Metric.CLIENT_CPU,
                    Metric.BROKER_CPU,
                    Metric.REDIS_CPU,
                    Metric.COLD_RECORDS_PER_SECOND),
            List.of(Metric.DELIVERED_P50, Metric.DELIVERED_P99, Metric.DELIVERED_P999),
            List.of(
                    Metric.ARCHIVE_LOOPS_CPU,
                    Metric.REDIS_CPU,
                    Metric.ARCHIVE_ENCODE_CPU,
                    Metric.ARCHIVE_UPLOAD_CPU,
                    Metric.ARCHIVE_READ,
                    Metric.ARCHIVE_ENCODE,
                    Metric.ARCHIVE_UPLOAD,
                    Metric.ARCHIVE_MEMORY));

    private final Samples samples;
    private final String reference;

    /** Tables of samples, with ratios to a contender of reference. */
    public ResultTables(Samples samples, String reference) {
        this.samples = samples;
        this.reference = reference;
    }

    /** The table of targets. */
    public String targets(List<Target> targets) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("target", "limit", "measured: median (min–max)", "rounds", "verdict"));
        for (Target target : targets) {
            Optional<Spread> ratio = target.ratio(samples);
            rows.add(List.of(
                    target.title(),
                    target.limitText(),
                    ratio.map(spread -> "%s (%s–%s)"
                                    .formatted(
                                            target.text(spread.median()),
                                            target.text(spread.min()),
                                            target.text(spread.max())))
                            .orElse("–"),
                    ratio.map(spread -> Integer.toString(spread.rounds())).orElse("0"),
                    switch (target.verdict(samples)) {
                        case MET -> "met";
                        case MISSED -> "**missed**";
                        case NOT_MEASURED -> "not measured";
                    }));
        }
        return table(rows);
    }

    /** Every measurement: throughput with its costs first, then the two latencies. */
    public String results() {
        return TABLES.stream()
                .map(metrics -> table(rows(metrics)))
                .filter(table -> !table.isEmpty())
                .collect(Collectors.joining("\n"));
    }

    private List<List<String>> rows(List<Metric> metrics) {
        List<List<String>> rows = new ArrayList<>();
        Metric first = metrics.get(0);
        for (String measurement : samples.measurements()) {
            for (String contender : samples.contenders(measurement)) {
                Series series = new Series(measurement, contender);
                if (samples.spread(series, first).isEmpty()) {
                    continue;
                }
                Stream<String> cells = metrics.stream().map(metric -> cell(series, metric, first));
                Optional<Spread> ratio = samples.ratio(series, first, new Series(measurement, reference), first);
                rows.add(Stream.of(
                                Stream.of(measurement, contender),
                                cells,
                                Stream.of(ratio.map(ResultTables::ratio).orElse("")))
                        .flatMap(part -> part)
                        .toList());
            }
        }
        if (!rows.isEmpty()) {
            rows.add(
                    0,
                    Stream.of(
                                    Stream.of("measurement", "contender"),
                                    metrics.stream().map(Metric::title),
                                    Stream.of("x " + reference))
                            .flatMap(part -> part)
                            .toList());
        }
        return rows;
    }

    private String cell(Series series, Metric metric, Metric first) {
        return samples.spread(series, metric)
                .map(spread -> metric == first || metric.title().endsWith("ms")
                        ? "%s (%s–%s)"
                                .formatted(
                                        metric.format(spread.median()),
                                        metric.format(spread.min()),
                                        metric.format(spread.max()))
                        : metric.format(spread.median()))
                .orElse("");
    }

    private static String ratio(Spread spread) {
        return String.format(Locale.ROOT, "%.2f (%.2f–%.2f)", spread.median(), spread.min(), spread.max());
    }

    private static String table(List<List<String>> rows) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < rows.size(); i++) {
            text.append("| ").append(String.join(" | ", rows.get(i))).append(" |\n");
            if (i == 0) {
                text.append("| --- ".repeat(rows.get(0).size())).append("|\n");
            }
        }
        return text.toString();
    }
}
