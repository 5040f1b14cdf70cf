package io.korvet.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProducerStateTest {

    private static final short EPOCH = 3;

    @Test
    void theNextSequenceIsAccepted() {
        ProducerState state = ProducerState.first(EPOCH, 0, 10, 500, 1);

        assertThat(state.check(EPOCH, 10, 5).error()).isEqualTo(Errors.NONE);
        assertThat(state.check(EPOCH, 10, 5).duplicate()).isNull();
    }

    @Test
    void eachOfTheLastFiveBatchesIsRecognisedAndOlderOnesAreNot() {
        ProducerState state = ProducerState.first(EPOCH, 0, 10, 500, 1);
        for (int i = 1; i < 7; i++) {
            state = state.after(EPOCH, 10 * i, 10, 500 + 10 * i, 1);
        }

        for (int i = 2; i < 7; i++) {
            ProducerState.Verdict verdict = state.check(EPOCH, 10 * i, 10);
            assertThat(verdict.error()).isEqualTo(Errors.NONE);
            assertThat(verdict.duplicate()).isEqualTo(new ProducerState.Batch(10 * i, 10 * i + 9, 500 + 10 * i));
        }
        assertThat(state.check(EPOCH, 10, 10).error()).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 9, 11, 12, 1000})
    void aGapOrAnOverlapIsOutOfOrder(int baseSequence) {
        ProducerState state = ProducerState.first(EPOCH, 0, 10, 500, 1);

        assertThat(state.check(EPOCH, baseSequence, 3).error()).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
    }

    @Test
    void anOlderEpochIsFencedAndANewerOneStartsAtZero() {
        ProducerState state = ProducerState.first(EPOCH, 0, 10, 500, 1);

        assertThat(state.check((short) 2, 10, 1).error()).isEqualTo(Errors.INVALID_PRODUCER_EPOCH);
        assertThat(state.check((short) 4, 0, 1).error()).isEqualTo(Errors.NONE);
        assertThat(state.check((short) 4, 10, 1).error()).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        assertThat(state.after((short) 4, 0, 1, 600, 2).batches()).hasSize(1);
    }

    @Test
    void sequencesWrapToZeroAfterTheLargestInteger() {
        ProducerState state = ProducerState.first(EPOCH, Integer.MAX_VALUE - 1, 3, 500, 1);

        assertThat(state.batches().get(0).lastSequence()).isZero();
        assertThat(state.check(EPOCH, 1, 1).error()).isEqualTo(Errors.NONE);
        ProducerState atTheEnd = ProducerState.first(EPOCH, Integer.MAX_VALUE, 1, 500, 1);
        assertThat(atTheEnd.check(EPOCH, 0, 1).error()).isEqualTo(Errors.NONE);
    }

    @Test
    void theTextIsReadBackToTheSameState() {
        ProducerState state = ProducerState.first(EPOCH, 0, 10, 1L << 60, 1_764_000_000_000L)
                .after(EPOCH, 10, 1, (1L << 60) + 10, 1_764_000_000_001L);

        assertThat(state.text()).isEqualTo("3 1764000000001 0-9@1152921504606846976,10-10@1152921504606846986");
        assertThat(ProducerState.parse(state.text())).isEqualTo(state);
        assertThat(ProducerState.lastUseMilliseconds(state.text())).isEqualTo(1_764_000_000_001L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "3", "3 4", "3 4 ", "3 4 5", "x 4 0-1@2", "3 4 0@1-2"})
    void anyOtherTextIsRefused(String text) {
        assertThatThrownBy(() -> ProducerState.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
