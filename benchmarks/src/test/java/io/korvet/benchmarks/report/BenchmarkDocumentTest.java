package io.korvet.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korvet.benchmarks.report.BenchmarkDocument.Part;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class BenchmarkDocumentTest {

    @Test
    void onlyWhatIsBetweenTheMarkersIsReplaced() throws IOException {
        String text = """
                before
                <!-- results: written by benchmarks/run --write -->
                old
                <!-- end of results -->
                after
                """;

        assertThat(BenchmarkDocument.replace(text, Part.BROKER, "new\n")).isEqualTo("""
                        before
                        <!-- results: written by benchmarks/run --write -->

                        new

                        <!-- end of results -->
                        after
                        """);
    }

    @Test
    void aDocumentWithoutMarkersIsRefused() {
        assertThatThrownBy(() -> BenchmarkDocument.replace("text", Part.ARCHIVE, "new"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no results to replace");
    }
}
