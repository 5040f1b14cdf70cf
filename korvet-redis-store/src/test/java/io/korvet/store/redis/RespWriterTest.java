package io.korvet.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RespWriterTest {

    @Test
    void numbersAreWrittenInDecimalWhateverTheirSignAndSize() {
        for (long power = 1; power > 0 && power <= Long.MAX_VALUE / 10; power *= 10) {
            for (long number : new long[] {power - 1, power, power + 1, -power, 1 - power, -power - 1}) {
                assertBulk(number);
            }
        }
        assertBulk(Long.MAX_VALUE);
        assertBulk(Long.MIN_VALUE);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            assertBulk(random.nextLong() >> random.nextInt(Long.SIZE));
        }
    }

    @Test
    void textOfAnyLengthIsLedByItsLength() {
        for (int length : new int[] {0, 1, 9, 10, 11, 99, 100, 999, 1_000, 9_999, 10_000, 99_999, 1_000_000}) {
            String text = "x".repeat(length);
            ByteBuf out = Unpooled.buffer(0);
            ByteBuf source = Unpooled.copiedBuffer("--" + text, StandardCharsets.US_ASCII);

            RespWriter.bulk(out, text);
            RespWriter.bulk(out, source, 2, length);

            String bulk = "$" + length + "\r\n" + text + "\r\n";
            assertThat(out.toString(StandardCharsets.US_ASCII)).isEqualTo(bulk + bulk);
        }
    }

    private static void assertBulk(long number) {
        ByteBuf out = Unpooled.buffer(0);
        String text = Long.toString(number);

        assertThat(RespWriter.bulk(out, number)).isEqualTo(text.length());

        assertThat(out.toString(StandardCharsets.US_ASCII)).isEqualTo("$" + text.length() + "\r\n" + text + "\r\n");
    }
}
