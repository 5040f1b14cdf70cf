package io.korvet.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The hash agrees with earlier versions, spreads evenly, and moves only what it must. */
class RendezvousHashTest {

    private static final long SEED = new Random().nextLong();

    @ParameterizedTest
    @CsvSource({
        "orders, 0, 0",
        "orders, 1, 2",
        "orders, 2, 1",
        "orders, 3, 4",
        "orders, 4, 3",
        "orders, 5, 1",
        "orders, 6, 3",
        "orders, 7, 1",
        "payments.eu-west_1, 0, 0",
        "payments.eu-west_1, 999, 2",
        "__consumer_offsets, 49, 1",
        "größe-日本, 3, 3",
    })
    void leadersAmongBrokersZeroToFourNeverChange(String topic, int partition, int leader) {
        int[] ids = {0, 1, 2, 3, 4};
        assertThat(RendezvousHash.owner(RendezvousHash.partition(topic, partition), ids))
                .isEqualTo(leader);
    }

    @ParameterizedTest
    @CsvSource({
        "billing, 2",
        "orders, 3",
        "connect-sink, 2",
        "g, 3",
        "console-consumer-12345, 4",
        "größe-日本, 1",
    })
    void coordinatorsAmongBrokersZeroToFourNeverChange(String group, int coordinator) {
        int[] ids = {0, 1, 2, 3, 4};
        assertThat(RendezvousHash.owner(RendezvousHash.group(group), ids)).isEqualTo(coordinator);
    }

    @Test
    void hashesNeverChange() {
        assertThat(RendezvousHash.partition("orders", 0)).isEqualTo(0xce4a7c08188bb4edL);
        assertThat(RendezvousHash.partition("orders", 1)).isEqualTo(0xc7c4b116e4193186L);
        assertThat(RendezvousHash.group("orders")).isEqualTo(0x7b53ea79a6070667L);
        assertThat(RendezvousHash.group("größe-日本")).isEqualTo(0x858e1ed412a91281L);
    }

    @ParameterizedTest
    @CsvSource({"2", "3", "5", "12", "50"})
    void eachBrokerOwnsItsShareWithinATenth(int brokers) {
        Random random = new Random(SEED);
        int[] ids = distinctIds(random, brokers);
        int[] owned = new int[brokers];
        int keys = 4_000 * brokers;
        for (int key = 0; key < keys; key++) {
            owned[RendezvousHash.owner(RendezvousHash.partition("topic-" + key % 97, key / 97), ids)]++;
        }
        for (int count : owned) {
            assertThat(count).as("seed %d, ids %s", SEED, Arrays.toString(ids)).isCloseTo(4_000, within(400));
        }
    }

    @Test
    void onlyWhatALeavingBrokerOwnedMovesAndTheRestStays() {
        Random random = new Random(SEED);
        for (int round = 0; round < 200; round++) {
            int[] before = distinctIds(random, 2 + random.nextInt(20));
            int leaving = random.nextInt(before.length);
            int[] after = IntStream.range(0, before.length)
                    .filter(index -> index != leaving)
                    .map(index -> before[index])
                    .toArray();
            for (int partition = 0; partition < 100; partition++) {
                long key = RendezvousHash.partition("topic-" + round, partition);
                int ownerBefore = before[RendezvousHash.owner(key, before)];
                int ownerAfter = after[RendezvousHash.owner(key, after)];
                // Read backwards this is a broker that joins: it wins what it leads, and nothing else moves.
                assertThat(ownerAfter == ownerBefore || ownerBefore == before[leaving])
                        .as("seed %d, round %d", SEED, round)
                        .isTrue();
            }
        }
    }

    @Test
    void aGroupAndATopicOfOneNameAreSpreadIndependently() {
        int[] ids = {0, 1, 2, 3};
        long together = IntStream.range(0, 4_000)
                .filter(index -> RendezvousHash.owner(RendezvousHash.group("name-" + index), ids)
                        == RendezvousHash.owner(RendezvousHash.partition("name-" + index, 0), ids))
                .count();
        assertThat(together).isCloseTo(1_000, within(200L));
    }

    private static int[] distinctIds(Random random, int count) {
        return random.ints(0, 10_000).distinct().limit(count).toArray();
    }
}
