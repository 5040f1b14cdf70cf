package io.korvet.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.server.config.KorvetConfig;
import io.korvet.server.metrics.BrokerMeters;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HttpConnectionTest {

    @Test
    void aClientThatSendsNoWholeRequestIsClosed() {
        try (BrokerMeters meters = new BrokerMeters()) {
            Readiness readiness = new Readiness(() -> CompletableFuture.completedFuture(Map.of()), () -> Instant.EPOCH);
            Actuator actuator = new Actuator(KorvetConfig.defaults().admin(), readiness, meters, Map.of());
            EmbeddedChannel channel = new EmbeddedChannel(new HttpConnection(actuator, 30));

            channel.advanceTimeBy(29, TimeUnit.SECONDS);
            channel.runScheduledPendingTasks();
            assertThat(channel.isOpen()).isTrue();
            channel.advanceTimeBy(2, TimeUnit.SECONDS);
            channel.runScheduledPendingTasks();
            assertThat(channel.isOpen()).isFalse();
        }
    }
}
