package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.EntrySink;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Blocks give back the entries they were built of, and their arrays only when nobody uses them any more. */
class BlockTest {

    private final BlockSpace space = new BlockSpace(4);

    /** Entries as texts: id, then fields. */
    private static final class Texts implements EntrySink {
        final List<String> entries = new ArrayList<>();

        @Override
        public void entry(long milliseconds, long sequence) {
            entries.add(milliseconds + "-" + sequence);
        }

        @Override
        public void field(int field, ByteBuffer value) {
            int last = entries.size() - 1;
            entries.set(last, entries.get(last) + " " + field + "=" + StandardCharsets.UTF_8.decode(value));
        }
    }

    private static void add(EntrySink sink, long milliseconds, long sequence, String... values) {
        sink.entry(milliseconds, sequence);
        for (int i = 0; i < values.length; i++) {
            sink.field(i - 1, ByteBuffer.wrap(values[i].getBytes(StandardCharsets.UTF_8)));
        }
    }

    private static List<String> entries(Block block, int first, int most) {
        Texts texts = new Texts();
        assertThat(block.deliver(first, most, texts)).isEqualTo(texts.entries.size());
        return texts.entries;
    }

    @Test
    void entriesComeOutAsTheyWentIn() {
        BlockBuilder builder = new BlockBuilder(space);
        add(builder, 1, 0);
        add(builder, 1, 7, "");
        add(builder, Long.MAX_VALUE, Long.MAX_VALUE, "a", "bc", "");
        Block block = builder.build();

        assertThat(block.count()).isEqualTo(3);
        assertThat(entries(block, 0, 10))
                .containsExactly("1-0", "1-7 -1=", Long.MAX_VALUE + "-" + Long.MAX_VALUE + " -1=a 0=bc 1=");
        assertThat(entries(block, 1, 1)).containsExactly("1-7 -1=");
        assertThat(entries(block, 3, 1)).isEmpty();
        assertThat(block.indexOf(new StreamEntryId(0, 0))).isZero();
        assertThat(block.indexOf(new StreamEntryId(1, 1))).isEqualTo(1);
        assertThat(block.indexOf(new StreamEntryId(2, 0))).isEqualTo(2);
        assertThat(block.id(1)).isEqualTo(new StreamEntryId(1, 7));
        assertThat(block.firstOutOfOrder()).isZero();
    }

    @Test
    void entriesOfAllSizesGrowTheArray() {
        Random random = new Random(11);
        for (int round = 0; round < 200; round++) {
            Texts expected = new Texts();
            BlockBuilder builder = new BlockBuilder(space);
            int entries = random.nextInt(3) == 0 ? 20_000 : random.nextInt(50);
            int longest = entries > 50 ? 30 : 1 << random.nextInt(21);
            for (int i = 0; i < entries; i++) {
                String value = "x".repeat(random.nextInt(longest));
                add(builder, i, random.nextInt(9), value);
                add(expected, i, 0);
                expected.entries.set(i, builder.count() + value);
            }
            Block block = builder.build();
            assertThat(block.count()).isEqualTo(entries);
            List<String> got = entries(block, 0, entries);
            for (int i = 0; i < entries; i++) {
                String value = expected.entries
                        .get(i)
                        .substring(Integer.toString(i + 1).length());
                assertThat(got.get(i)).startsWith(i + "-").endsWith("-1=" + value);
            }
            block.release();
        }
    }

    @Test
    void smallBlocksTakeWhatTheyNeedAndLeaveTheArrayToOthers() {
        BlockBuilder builder = new BlockBuilder(space);
        add(builder, 1, 1, "value");
        Block block = builder.build();
        assertThat(block.sizeInBytes()).isLessThan(200);
        assertThat(space.free()).isEqualTo(1);
        block.release();
        assertThat(space.free()).isEqualTo(1);
    }

    @Test
    void sortingKeepsTheOrderOfEqualIds() {
        BlockBuilder builder = new BlockBuilder(space);
        add(builder, 2, 0, "c");
        add(builder, 1, 5, "a");
        add(builder, 2, 0, "d");
        add(builder, 1, 6, "b");
        builder.sort();
        Block block = builder.build();
        assertThat(entries(block, 0, 4)).containsExactly("1-5 -1=a", "1-6 -1=b", "2-0 -1=c", "2-0 -1=d");
        assertThat(block.firstOutOfOrder()).isEqualTo(3);
    }

    @Test
    void anArrayIsUsedAgainAfterItsLastUser() {
        Block block = large();
        assertThat(block.retain()).isTrue();
        block.release();
        assertThat(space.free()).isZero();
        block.release();
        assertThat(space.free()).isEqualTo(1);
        assertThat(block.retain()).isFalse();
        assertThatIllegalStateException().isThrownBy(block::release);
        large();
        assertThat(space.free()).isZero();
    }

    @Test
    void aCacheGivesBackWhatItKeepsNoLonger() {
        WeightedCache<String, Block> cache = new WeightedCache<>(2L * (BlockSpace.BYTES + 100), Block::release);
        for (String key : List.of("a", "b", "b", "c")) {
            cache.put(key, large(), BlockSpace.BYTES + 100);
        }
        assertThat(cache.get("a")).isNull();
        assertThat(space.free()).isEqualTo(1);
        Block tooHeavy = large();
        cache.put("d", tooHeavy, Long.MAX_VALUE);
        cache.remove("c");
        assertThat(space.free()).isEqualTo(2);
        assertThat(tooHeavy.retain()).isFalse();
    }

    private Block large() {
        BlockBuilder builder = new BlockBuilder(space);
        add(builder, 1, 1, "x".repeat(BlockSpace.BYTES * 3 / 4));
        return builder.build();
    }
}
