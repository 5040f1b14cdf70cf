package io.korvet.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/**
 * A run with faults of two minutes; {@code -Dkorvet.faults.minutes=30 -Dkorvet.faults.seed=N} for others. It needs root and network
 * namespaces.
 */
@Timeout(3_600)
class FaultRunIT {
    private static final String SEED = System.getProperty("korvet.faults.seed", "");

    @Test
    void nothingAcknowledgedIsLostOrDoubledOrReorderedAndNoReadIsWrong() {
        Optional<String> reason = FaultRun.unavailable();
        assumeThat(reason.isEmpty()).as(reason.orElse("it can be run")).isTrue();
        Path distribution = Path.of(System.getProperty("korvet.it.distribution", "../../distribution/target"));
        List<String> arguments =
                new ArrayList<>(List.of("--minutes", System.getProperty("korvet.faults.minutes", "2"), "--korvet"));
        arguments.add(distribution.resolve("korvet/bin/korvet").toString());
        arguments.addAll(List.of("--folder", System.getProperty("korvet.it.work", "target")));
        arguments.addAll(List.of("--seed", SEED.isEmpty() ? "1" : SEED));
        assertThat(new CommandLine(new FaultRun()).execute(arguments.toArray(String[]::new)))
                .as("exit code; the report above tells the anomalies")
                .isZero();
    }
}
