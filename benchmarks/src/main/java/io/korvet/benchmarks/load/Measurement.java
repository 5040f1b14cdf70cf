package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.Contender;
import io.korvet.benchmarks.report.Metric;
import java.util.Map;

/** One thing that is measured; every run stands alone, on topics or keys of its own that it removes afterwards. */
public interface Measurement {

    /** Its row in the tables. */
    String name();

    /** What the contender must speak to take part. */
    Contender.Protocol protocol();

    /**
     * Runs it once against one contender.
     *
     * @throws BenchmarkException when it could not be completed in its bounded time
     */
    Map<Metric, Double> run(Contender contender) throws Exception;
}
