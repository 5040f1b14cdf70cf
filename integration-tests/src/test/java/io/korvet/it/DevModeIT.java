package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code bin/korvet server --dev} with a data folder: the next start finds what the last one left. */
class DevModeIT extends DevBehaviour {
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
