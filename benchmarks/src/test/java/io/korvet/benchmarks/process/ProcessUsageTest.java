package io.korvet.benchmarks.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ProcessUsageTest {

    @Test
    void readsTimesAndMemoryBehindANameWithSpacesAndBrackets() {
        String stat =
                "42 (a (b) c) S 1 42 42 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 9 0 1000 123456789 300 184467 1 1 0";

        ProcessUsage usage = ProcessUsage.parse(stat);

        assertThat(usage.cpuSeconds()).isEqualTo(3.0);
        assertThat(usage.residentBytes()).isEqualTo(300 * 4096);
    }

    @Test
    void threadsAreAPartOfTheirProcess() throws IOException {
        long pid = ProcessHandle.current().pid();

        assertThat(ProcessUsage.ofThreads(pid, ""))
                .isPositive()
                .isLessThanOrEqualTo(ProcessUsage.of(pid).cpuSeconds() + 0.1);
        assertThat(ProcessUsage.ofThreads(pid, "no thread is called so")).isZero();
    }
}
