package io.korvet.server.handler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RefusedCreationsTest {

    private final RefusedCreations refused = new RefusedCreations();

    @Test
    void eachTopicIsSaidOnce() {
        assertThat(refused.note("a", "too small")).isTrue();
        assertThat(refused.note("b", "too small")).isTrue();
        assertThat(refused.note("a", "too small")).isFalse();
    }

    @Test
    void namesThatClientsMakeUpFloodNeitherLogNorMemory() {
        long said = IntStream.range(0, 5 * RefusedCreations.MOST)
                .filter(number -> refused.note("made-up-" + number, "too small"))
                .count();

        assertThat(said).isEqualTo(RefusedCreations.MOST);
    }
}
