package io.korvet.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.server.http.HealthChecks.Health;
import io.korvet.store.StoreException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class BrokerHealthTest {

    @Test
    void failureOfRedisIsShownByItsMessageAlone() {
        StoreException failure = new StoreException(StoreException.Kind.UNAVAILABLE, "no answer");

        assertThat(BrokerHealth.redis("redis://here", new CompletionException(failure)))
                .isEqualTo(Health.down("redis://here: no answer"));
        assertThat(BrokerHealth.redis("redis://here", failure)).isEqualTo(Health.down("redis://here: no answer"));
        assertThat(BrokerHealth.redis("redis://here", null)).isEqualTo(Health.up("redis://here"));
    }
}
