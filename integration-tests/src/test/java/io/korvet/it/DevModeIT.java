package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.TestBroker;
import io.korvet.it.broker.TestBroker.Kind;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code bin/korvet server --dev} with a data folder: the next start finds what the last one left. */
class DevModeIT extends BrokerBehaviour {
    @Nullable
    private KorvetBroker own;

    @BeforeEach
    void startBroker() {
        assumeThat(BrokerUnderTest.kind()).as("Kafka has no such mode").isEqualTo(Kind.KORVET);
        KorvetBroker broker = KorvetBroker.keeping();
        own = broker;
        broker.start();
    }

    @AfterEach
    void endBroker() {
        if (own != null) {
            own.close();
        }
    }

    @Override
    TestBroker broker() {
        return Objects.requireNonNull(own);
    }

    @Test
    void dataIsFoundAgainAfterAnOrderlyEndAndAfterAKill() {
        String topic = topic(Encoding.usual());
        produce(topic, List.of("first"));
        broker().stop();
        broker().start();
        produce(topic, List.of("second"));
        broker().kill();
        broker().start();
        produce(topic, List.of("third"));
        assertThat(values(readAll(topic, 3))).containsExactly("first", "second", "third");
    }
}
