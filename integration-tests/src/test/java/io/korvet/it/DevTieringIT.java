package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.archive.JdbcEngine;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.duckdb.DuckDBDriver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code bin/korvet server --dev --tiering}: what it says works, within a minute. */
@Tag("waits")
class DevTieringIT extends DevBehaviour {
    @Override
    String[] options() {
        return new String[] {"--tiering", "--set", "korvet.broker.tail-cache-bytes=0"};
    }

    @Test
    void segmentsMoveWithinAMinuteAndThePrintedQueryCountsThem() throws Exception {
        create("numbers", 1, Encoding.usual());
        long first = produce("numbers", numbers(1, 1000)).get(0);

        await("the segment has left Redis")
                .atMost(Duration.ofSeconds(60))
                .until(() -> offset("numbers", OffsetSpec.earliestLocal()) > first);
        assertThat(offset("numbers", OffsetSpec.earliest())).isLessThanOrEqualTo(first);
        assertThat(values(readAll("numbers", 1000))).isEqualTo(numbers(1, 1000));
        Matcher query = Pattern.compile("duckdb -c \"(.*)\"").matcher(broker().output());
        assertThat(query.find()).isTrue();
        try (JdbcEngine duckDb = JdbcEngine.connect(new DuckDBDriver(), "jdbc:duckdb:", new Properties())) {
            assertThat(duckDb.rows(query.group(1)))
                    .isEqualTo(List.of(List.of("korvet:storage:local:{numbers:0}", "0", "1000", "1", "1000")));
        }
    }
}
