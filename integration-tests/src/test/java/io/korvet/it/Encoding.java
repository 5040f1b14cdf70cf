package io.korvet.it;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.TestBroker.Kind;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** How a topic's offsets are made, and with that what a test may expect of them. */
enum Encoding {
    /** Korvet's default: from the clock, with gaps between batches. */
    TIME("time"),
    /** Korvet's offsets for tools that count: 0, 1, 2 … */
    DENSE("dense"),
    /** Apache Kafka's. */
    PLAIN("");

    private final String setting;

    Encoding(String setting) {
        this.setting = setting;
    }

    /** The topic config that asks for it. */
    Map<String, String> config() {
        return setting.isEmpty() ? Map.of() : Map.of("offset.encoding", setting);
    }

    /** Whether offsets follow each other without gaps from 0. */
    boolean dense() {
        return this != TIME;
    }

    /** The one that a new topic of the broker under test has. */
    static Encoding usual() {
        return BrokerUnderTest.kind() == Kind.KAFKA ? PLAIN : TIME;
    }

    /** Runs a test once for each encoding that the broker under test has. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @ParameterizedTest
    @ArgumentsSource(Each.class)
    @interface InEach {}

    /** The encodings of the broker under test. */
    static final class Each implements ArgumentsProvider {
        @Override
        public Stream<? extends Arguments> provideArguments(
                ParameterDeclarations parameters, ExtensionContext context) {
            return (BrokerUnderTest.kind() == Kind.KAFKA ? Stream.of(PLAIN) : Stream.of(TIME, DENSE))
                    .map(Arguments::of);
        }
    }
}
