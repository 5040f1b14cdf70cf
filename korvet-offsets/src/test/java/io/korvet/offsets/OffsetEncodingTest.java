package io.korvet.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for each encoding: offsets and ids are inverse to each other and in the same order. */
class OffsetEncodingTest {

    private static final long SEED = new Random().nextLong();
    private static final int ROUNDS = 5_000;

    static Stream<OffsetEncoding> encodings() {
        return Stream.concat(
                IntStream.rangeClosed(1, TimeEncoding.MAX_BITS).mapToObj(TimeEncoding::new),
                Stream.of(new DenseEncoding()));
    }

    @ParameterizedTest
    @MethodSource("encodings")
    void theIdOfAnOffsetHasThatOffset(OffsetEncoding encoding) {
        Random random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            long offset = anyOffset(random);
            StreamEntryId id = encoding.idOf(offset);
            assertThat(encoding.offsetOf(id)).as("seed %d", SEED).isEqualTo(offset);
            assertThat(encoding.fits(id.milliseconds(), id.sequence())).isTrue();
            assertThat(encoding.millisecondsOf(offset)).isEqualTo(id.milliseconds());
            assertThat(encoding.sequenceOf(offset)).isEqualTo(id.sequence());
        }
    }

    @ParameterizedTest
    @MethodSource("encodings")
    void theOffsetOfAnIdThatFitsHasThatId(OffsetEncoding encoding) {
        Random random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            StreamEntryId id = anyIdThatFits(encoding, random);
            long offset = encoding.offsetOf(id);
            assertThat(offset).as("seed %d", SEED).isNotNegative();
            assertThat(encoding.idOf(offset)).as("seed %d", SEED).isEqualTo(id);
        }
    }

    @ParameterizedTest
    @MethodSource("encodings")
    void offsetsAndIdsAreInTheSameOrder(OffsetEncoding encoding) {
        Random random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            long one = anyOffset(random);
            // Half of the pairs are neighbours: that is where milliseconds turn over.
            long other = random.nextBoolean() && one < Long.MAX_VALUE ? one + 1 : anyOffset(random);
            assertThat(Integer.signum(encoding.idOf(one).compareTo(encoding.idOf(other))))
                    .as("seed %d, offsets %d and %d", SEED, one, other)
                    .isEqualTo(Long.compare(one, other));
        }
    }

    @ParameterizedTest
    @MethodSource("encodings")
    void anOffsetIsProposedWhoseEntryRedisCanHold(OffsetEncoding encoding) {
        Random random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            long now = random.nextLong(1L << 46);
            assertThat(encoding.idOf(encoding.proposalAt(now)))
                    .as("seed %d, time %d", SEED, now)
                    .isGreaterThan(StreamEntryId.MINIMUM);
        }
        assertThat(encoding.idOf(encoding.proposalAt(0))).isGreaterThan(StreamEntryId.MINIMUM);
    }

    /** Small and large magnitudes alike, the two ends included. */
    private static long anyOffset(Random random) {
        return switch (random.nextInt(20)) {
            case 0 -> 0;
            case 1 -> Long.MAX_VALUE;
            default -> random.nextLong() >>> 1 >>> random.nextInt(63);
        };
    }

    private static StreamEntryId anyIdThatFits(OffsetEncoding encoding, Random random) {
        return switch (encoding.kind()) {
            case DENSE -> new StreamEntryId(DenseEncoding.MILLISECONDS, anyOffset(random));
            case TIME -> {
                int bits = Long.numberOfTrailingZeros(encoding.sequencesPerMillisecond());
                yield new StreamEntryId(anyOffset(random) >> bits, random.nextLong(encoding.sequencesPerMillisecond()));
            }
        };
    }
}
