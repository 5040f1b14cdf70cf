package io.korvet.benchmarks.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class HotSpotsTest {

    @Test
    void countsThreadsLeavesAndMethodsOnceAStack() {
        String tables = HotSpots.of(List.of(
                        "[worker-1 tid=7];io/korvet/A.a;lib/B.b;lib/B.b 30",
                        "[worker-2 tid=8];io/korvet/A.a;io/korvet/C.c 10"))
                .tables(10);

        assertThat(tables)
                .contains("40 samples", "100.0 %  [worker-# tid=#]", " 75.0 %  lib/B.b", "100.0 %  io/korvet/A.a");
        assertThat(tables.lines().filter(line -> line.contains("io/korvet/A.a")).toList())
                .containsExactly(" 75.0 %  io/korvet/A.a", "100.0 %  io/korvet/A.a");
    }

    @Test
    void theCompilerIsAThreadButNoPartOfTheMethodsShares() {
        String tables = HotSpots.of(
                        List.of("[C2 CompilerThread0 tid=3];Compile::Compile 60", "[worker tid=7];lib/B.b 40"))
                .tables(10);

        assertThat(tables)
                .contains(" 60.0 %  [C# CompilerThread# tid=#]", "100.0 %  lib/B.b")
                .doesNotContain("Compile::Compile");
    }
}
