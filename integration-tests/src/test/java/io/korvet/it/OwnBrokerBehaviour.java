package io.korvet.it;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.KafkaBroker;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.broker.TestBroker;
import io.korvet.it.broker.TestBroker.Kind;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** Behaviour of a broker that each test has for itself, to kill; Korvet's over a Redis that outlives it. */
abstract class OwnBrokerBehaviour extends BrokerBehaviour {

    @Nullable
    private RedisProcess redis;

    @Nullable
    private TestBroker own;

    @BeforeEach
    void startBroker() {
        TestBroker broker;
        if (BrokerUnderTest.kind() == Kind.KAFKA) {
            broker = new KafkaBroker();
        } else {
            RedisProcess store = closing(new RedisProcess());
            store.start();
            redis = store;
            broker = KorvetBroker.over(store);
        }
        own = closing(broker);
        broker.start();
    }

    @Override
    TestBroker broker() {
        return Objects.requireNonNull(own);
    }

    /** The broker, for tests of what only Korvet has. */
    final KorvetBroker korvet() {
        assumeThat(broker()).as("Kafka has no Redis").isInstanceOf(KorvetBroker.class);
        return (KorvetBroker) broker();
    }

    /** Korvet's Redis, for tests of what only Korvet has. */
    final RedisProcess redis() {
        korvet();
        return Objects.requireNonNull(redis);
    }
}
