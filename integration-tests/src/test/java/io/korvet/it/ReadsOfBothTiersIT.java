package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.broker.TestBroker;
import io.korvet.it.broker.TestBroker.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's clients read a topic of which some segments are in Redis and some in the cold tier, and notice nothing. */
@Tag("waits")
class ReadsOfBothTiersIT extends BrokerBehaviour {

    private static final Duration MOVED = Duration.ofSeconds(60);
    private static final int EACH = 300;

    @TempDir
    static Path directory;

    /** Within the retention, and never ahead of the clock. */
    private final long begin = System.currentTimeMillis() - 60_000;

    private final RedisProcess redis = new RedisProcess();

    @Nullable
    private KorvetBroker own;

    @BeforeEach
    void startBroker() {
        assumeThat(BrokerUnderTest.kind()).as("Kafka needs a plugin for this").isEqualTo(Kind.KORVET);
        redis.start();
        own = KorvetBroker.over(
                redis,
                "korvet.storage.remote.path=file://" + directory.resolve(name("archive")),
                // Or recent records would be read from memory, wherever they are.
                "korvet.broker.tail-cache-bytes=0");
        own.start();
    }

    @AfterEach
    void endBroker() {
        if (own != null) {
            own.close();
        }
        redis.close();
    }

    @Override
    TestBroker broker() {
        return Objects.requireNonNull(own);
    }

    private String tieredTopic(Encoding encoding, String localRetention) {
        return topic(
                1,
                encoding,
                "remote.storage.enable",
                "true",
                "segment.ms",
                "1000",
                "local.retention.ms",
                localRetention);
    }

    /** Produces records that have all that a record can have, a segment's worth; answers them as they must be read. */
    private List<Expected> produceSegment(String topic, int from) {
        List<Expected> expected = new ArrayList<>();
        KafkaProducer<byte[], byte[]> producer = producer("linger.ms", 20);
        for (int number = from; number < from + EACH; number++) {
            byte @Nullable [] key = number % 3 == 0 ? null : number % 3 == 1 ? new byte[0] : bytes("key " + number);
            byte @Nullable [] value = number % 7 == 0 ? null : number % 7 == 1 ? new byte[0] : bytes("value " + number);
            RecordHeaders headers = new RecordHeaders();
            if (number % 5 == 0) {
                headers.add(new RecordHeader("number", bytes(Integer.toString(number))));
                headers.add(new RecordHeader("number", null));
                headers.add(new RecordHeader("empty", new byte[0]));
            }
            long timestamp = begin + 10L * number;
            var unused = producer.send(new ProducerRecord<>(topic, 0, timestamp, key, value, headers));
            expected.add(new Expected(timestamp, text(key), text(value), headers.toString()));
        }
        producer.flush();
        return expected;
    }

    private record Expected(long timestamp, String key, String value, String headers) {
        static Expected of(ConsumerRecord<byte[], byte[]> record) {
            return new Expected(
                    record.timestamp(),
                    text(record.key()),
                    text(record.value()),
                    new RecordHeaders(record.headers()).toString());
        }

        static List<Expected> all(Collection<ConsumerRecord<byte[], byte[]>> records) {
            return records.stream().map(Expected::of).toList();
        }
    }

    private void awaitCold(String topic, long offset) {
        await("offset " + offset + " of " + topic + " left Redis")
                .atMost(MOVED)
                .untilAsserted(() ->
                        assertThat(offset(topic, OffsetSpec.earliestLocal())).isGreaterThan(offset));
    }

    @Encoding.InEach
    void everythingIsReadInOrderWhileTheSeamMoves(Encoding encoding) {
        String topic = tieredTopic(encoding, "1");
        List<Expected> expected = new ArrayList<>();
        KafkaConsumer<byte[], byte[]> follower = reader(topic);
        List<ConsumerRecord<byte[], byte[]>> followed = new ArrayList<>();
        for (int segment = 0; segment < 5; segment++) {
            expected.addAll(produceSegment(topic, EACH * segment));
            long end = System.nanoTime() + Duration.ofMillis(1_500).toNanos();
            while (System.nanoTime() < end) {
                follower.poll(Duration.ofMillis(100)).forEach(followed::add);
                List<ConsumerRecord<byte[], byte[]>> now = readAll(topic, expected.size());
                assertThat(Expected.all(now)).isEqualTo(expected);
            }
        }
        if (followed.size() < expected.size()) {
            followed.addAll(read(follower, expected.size() - followed.size()));
        }
        assertThat(Expected.all(followed)).isEqualTo(expected);
        List<ConsumerRecord<byte[], byte[]>> all = readAll(topic, expected.size());
        awaitCold(topic, all.get(all.size() - 1).offset());
        List<ConsumerRecord<byte[], byte[]>> cold = readAll(topic, expected.size());
        assertThat(Expected.all(cold)).isEqualTo(expected);
        assertThat(offsets(cold)).isEqualTo(offsets(all));
        assertThat(offset(topic, OffsetSpec.latestTiered()))
                .isEqualTo(all.get(all.size() - 1).offset());
        assertThat(offset(topic, OffsetSpec.earliest()))
                .as("the start of a log of which nothing was removed (ADR 0007)")
                .isZero();
    }

    @Encoding.InEach
    void placesInTheMiddleAreFoundByOffsetAndByTimeInBothTiers(Encoding encoding) {
        String topic = tieredTopic(encoding, "6000");
        List<Expected> expected = new ArrayList<>(produceSegment(topic, 0));
        List<ConsumerRecord<byte[], byte[]>> first = readAll(topic, EACH);
        awaitCold(topic, first.get(EACH - 1).offset());
        // Nothing else is there yet that could be in the archive.
        assertThat(offset(topic, OffsetSpec.latestTiered()))
                .isEqualTo(first.get(EACH - 1).offset());
        expected.addAll(produceSegment(topic, EACH));
        List<ConsumerRecord<byte[], byte[]>> all = readAll(topic, expected.size());

        KafkaConsumer<byte[], byte[]> consumer = reader(topic);
        for (int i = 0; i < 20; i++) {
            int at = i == 0
                    ? EACH - 1
                    : i == 1 ? EACH : ThreadLocalRandom.current().nextInt(2 * EACH);
            consumer.seek(partition(topic), all.get(at).offset());
            List<ConsumerRecord<byte[], byte[]>> rest = read(consumer, 2 * EACH - at);
            assertThat(Expected.all(rest)).isEqualTo(expected.subList(at, 2 * EACH));
            Map<?, OffsetAndTimestamp> found = consumer.offsetsForTimes(
                    Map.of(partition(topic), expected.get(at).timestamp() - 5));
            assertThat(found.values()).singleElement().satisfies(place -> {
                assertThat(place.offset()).isEqualTo(all.get(at).offset());
                assertThat(place.timestamp()).isEqualTo(expected.get(at).timestamp());
            });
        }
        assertThat(offset(topic, OffsetSpec.maxTimestamp()))
                .isEqualTo(all.get(2 * EACH - 1).offset());
    }

    @Encoding.InEach
    void groupsBeginInTheColdTierAndDeletedRecordsStayAway(Encoding encoding) {
        String topic = tieredTopic(encoding, "1");
        List<Expected> expected = new ArrayList<>(produceSegment(topic, 0));
        awaitCold(topic, offset(topic, OffsetSpec.latest()) - 1);
        expected.addAll(produceSegment(topic, EACH));
        List<ConsumerRecord<byte[], byte[]>> all = readAll(topic, 2 * EACH);

        KafkaConsumer<byte[], byte[]> member = consumer("group.id", name("group"));
        member.subscribe(List.of(topic));
        assertThat(Expected.all(read(member, 2 * EACH))).isEqualTo(expected);

        long start = all.get(100).offset();
        result(admin().deleteRecords(Map.of(partition(topic), RecordsToDelete.beforeOffset(start)))
                .all());
        assertThat(offset(topic, OffsetSpec.earliest())).isEqualTo(start);
        assertThat(Expected.all(readAll(topic, 2 * EACH - 100))).isEqualTo(expected.subList(100, 2 * EACH));
        KafkaConsumer<byte[], byte[]> late = reader(topic);
        late.seek(partition(topic), all.get(50).offset());
        assertThat(Expected.all(read(late, 2 * EACH - 100))).isEqualTo(expected.subList(100, 2 * EACH));

        long beyond = all.get(EACH + 50).offset();
        result(admin().deleteRecords(Map.of(partition(topic), RecordsToDelete.beforeOffset(beyond)))
                .all());
        assertThat(Expected.all(readAll(topic, EACH - 50))).isEqualTo(expected.subList(EACH + 50, 2 * EACH));
        await("the segment is forgotten, its rows with it")
                .atMost(MOVED)
                .untilAsserted(() -> assertThat(Expected.all(readAll(topic, EACH - 50)))
                        .isEqualTo(expected.subList(EACH + 50, 2 * EACH)));
    }
}
