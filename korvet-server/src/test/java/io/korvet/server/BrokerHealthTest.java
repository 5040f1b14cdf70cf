package io.korvet.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.server.http.HealthChecks.Health;
import io.korvet.server.topics.FakeStore;
import io.korvet.server.topics.TopicFixture;
import io.korvet.store.StoreException;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BrokerHealthTest {

    private final FakeStore store = new FakeStore();

    private Map<String, Health> shown(@Nullable String dataUri) {
        return TopicFixture.done(BrokerHealth.redis(store, "redis://here", dataUri));
    }

    @Test
    void oneRedisIsOneComponent() {
        assertThat(shown(null)).containsExactly(Map.entry("redis", Health.up("redis://here")));
        store.down = true;
        assertThat(shown(null)).containsExactly(Map.entry("redis", Health.down("redis://here: down")));
    }

    @Test
    void ofTwoTheOneThatIsAwayIsNamed() {
        Health here = Health.up("redis://here");
        Health there = Health.up("redis://there");
        assertThat(shown("redis://there")).containsExactly(Map.entry("redis", here), Map.entry("redisData", there));
        store.logsDown = true;
        assertThat(shown("redis://there"))
                .containsExactly(
                        Map.entry("redis", here), Map.entry("redisData", Health.down("redis://there: logs down")));
        store.logsDown = false;
        store.down = true;
        assertThat(shown("redis://there"))
                .containsExactly(Map.entry("redis", Health.down("redis://here: down")), Map.entry("redisData", there));
    }

    @Test
    void failureOfRedisIsShownByItsMessageAlone() {
        StoreException failure = new StoreException(StoreException.Kind.UNAVAILABLE, "no answer");

        assertThat(BrokerHealth.redis("redis://here", new CompletionException(failure)))
                .isEqualTo(Health.down("redis://here: no answer"));
        assertThat(BrokerHealth.redis("redis://here", failure)).isEqualTo(Health.down("redis://here: no answer"));
        assertThat(BrokerHealth.redis("redis://here", null)).isEqualTo(Health.up("redis://here"));
    }
}
