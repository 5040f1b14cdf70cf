package io.korvet.it.broker;

import io.korvet.it.broker.TestBroker.Kind;
import org.jspecify.annotations.Nullable;

/**
 * The broker all test classes of a run share, chosen by the system property {@code korvet.it.broker}: {@code korvet} (the
 * default), {@code kafka}, or {@code host:port} of a running Korvet, or {@code kafka@host:port} of a running Kafka.
 */
public final class BrokerUnderTest {
    private static final String CHOICE = System.getProperty("korvet.it.broker", "korvet");

    @Nullable
    private static TestBroker shared;

    private BrokerUnderTest() {}

    /** Whose broker this run is about. */
    public static Kind kind() {
        return CHOICE.startsWith("kafka") ? Kind.KAFKA : Kind.KORVET;
    }

    /** The broker, started at the first call and ended with the JVM. */
    public static synchronized TestBroker shared() {
        TestBroker broker = shared;
        if (broker == null) {
            broker = choose();
            broker.start();
            shared = broker;
            Runtime.getRuntime().addShutdownHook(new Thread(broker::close));
        }
        return broker;
    }

    private static TestBroker choose() {
        if (CHOICE.contains(":")) {
            return new RunningBroker(kind(), CHOICE.substring(CHOICE.indexOf('@') + 1));
        }
        return kind() == Kind.KAFKA ? new KafkaBroker() : KorvetBroker.ephemeral();
    }
}
