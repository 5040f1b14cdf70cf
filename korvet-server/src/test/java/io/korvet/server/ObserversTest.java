package io.korvet.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.server.metrics.BrokerMeters;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class ObserversTest {

    @Test
    void failuresAreCountedFromZeroSoThatARateSeesTheFirst() {
        try (BrokerMeters meters = new BrokerMeters()) {
            Observers observers = new Observers(meters);
            meters.topic("orders").fetched(1, 1);

            assertThat(meters.scrape())
                    .contains("korvet_storage_archive_failures_total{error_type=\"unavailable\"} 0.0")
                    .contains("korvet_storage_worker_failures_total{phase=\"seal\"} 0.0")
                    .contains("korvet_broker_failures_total{error_type=\"INVALID_REQUEST\",operation=\"request\"} 0.0")
                    .contains("korvet_broker_lossy_records_total{phase=\"fetch\",topic=\"orders\"} 0.0");
            observers.requests().requestRefused(Errors.INVALID_REQUEST);
            assertThat(meters.scrape())
                    .contains("korvet_broker_failures_total{error_type=\"INVALID_REQUEST\",operation=\"request\"} 1.0");
        }
    }
}
