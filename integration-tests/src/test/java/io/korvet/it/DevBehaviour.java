package io.korvet.it;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.TestBroker.Kind;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Behaviour of {@code bin/korvet server --dev}, which each test has for itself with an empty data folder. */
abstract class DevBehaviour extends BrokerBehaviour {

    @Nullable
    private KorvetBroker own;

    /** What the command gets beside {@code --dev} and its folder. */
    String[] options() {
        return new String[0];
    }

    @BeforeEach
    void startBroker() {
        assumeThat(BrokerUnderTest.kind()).as("Kafka has no such mode").isEqualTo(Kind.KORVET);
        KorvetBroker broker = KorvetBroker.keeping(options());
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
    final KorvetBroker broker() {
        return Objects.requireNonNull(own);
    }
}
