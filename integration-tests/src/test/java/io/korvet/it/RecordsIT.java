package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes in comes out, byte for byte; what may not go in is refused. */
@Tag("waits")
class RecordsIT extends BrokerBehaviour {

    @Test
    void nullAndEmptyKeysAndValuesStayApart() {
        String topic = topic(Encoding.usual());
        List<ProducerRecord<byte[], byte[]>> sent = new ArrayList<>();
        byte[][] forms = {null, {}, {0}, bytes("text"), bytes("\r\n$5\r\nhello\r\n"), allBytes()};
        for (byte[] key : forms) {
            for (byte[] value : forms) {
                sent.add(new ProducerRecord<>(topic, 0, key, value));
            }
        }
        assertComesBack(topic, sent);
    }

    @Test
    void headersKeepNamesOrderDuplicatesNullAndEmptyValues() {
        String topic = topic(Encoding.usual());
        ProducerRecord<byte[], byte[]> every = record(topic, "every");
        every.headers().add("h", bytes("1")).add("null", null).add("empty", new byte[0]);
        every.headers().add("h", bytes("2")).add("", bytes("nameless")).add("", null);
        every.headers().add("héä-日本", allBytes()).add("h", bytes("1"));
        ProducerRecord<byte[], byte[]> tombstone = new ProducerRecord<>(topic, 0, bytes("key"), null);
        tombstone.headers().add("of a tombstone", bytes("x"));
        ProducerRecord<byte[], byte[]> many = new ProducerRecord<>(topic, 0, null, null);
        for (int i = 0; i < 300; i++) {
            many.headers().add("name " + i % 7, bytes("" + i));
        }
        ProducerRecord<byte[], byte[]> large = record(topic, "large");
        large.headers().add("large", new byte[100_000]);
        assertComesBack(topic, List.of(every, tombstone, record(topic, "none"), many, large));
    }

    @Test
    void recordsOfEverySizeComeBack() {
        String topic = topic(Encoding.usual());
        List<ProducerRecord<byte[], byte[]>> sent = new ArrayList<>();
        for (int size : new int[] {1, 63, 64, 127, 128, 8_191, 8_192, 16_384, 65_535, 65_536, 500_000, 1_048_000}) {
            byte[] value = new byte[size];
            new Random(size).nextBytes(value);
            sent.add(new ProducerRecord<>(topic, 0, bytes("" + size), value));
        }
        assertComesBack(topic, sent);
    }

    private void assertComesBack(String topic, List<ProducerRecord<byte[], byte[]>> sent) {
        KafkaProducer<byte[], byte[]> producer = producer("linger.ms", 20);
        List<Long> told = new ArrayList<>();
        for (Future<RecordMetadata> each : sent.stream().map(producer::send).toList()) {
            told.add(result(each).offset());
        }
        List<ConsumerRecord<byte[], byte[]>> got = readAll(topic, sent.size());
        assertThat(offsets(got)).isEqualTo(told);
        for (int i = 0; i < sent.size(); i++) {
            assertThat(got.get(i).key()).as("key of " + i).isEqualTo(sent.get(i).key());
            assertThat(got.get(i).value())
                    .as("value of " + i)
                    .isEqualTo(sent.get(i).value());
            Header[] expected = sent.get(i).headers().toArray();
            Header[] actual = got.get(i).headers().toArray();
            assertThat(actual).hasSameSizeAs(expected);
            for (int h = 0; h < expected.length; h++) {
                assertThat(actual[h].key()).isEqualTo(expected[h].key());
                assertThat(actual[h].value()).isEqualTo(expected[h].value());
            }
        }
    }

    private static byte[] allBytes() {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void aProducersCodecIsReadBackWhole(String codec) {
        String topic = topic(Encoding.usual());
        List<String> values = longerValues(2_000);
        produce(topic, values, "compression.type", codec, "batch.size", 40_000);
        assertThat(values(readAll(topic, values.size()))).isEqualTo(values);
    }

    @ParameterizedTest
    @ValueSource(strings = {"uncompressed", "gzip", "snappy", "lz4", "zstd"})
    void aTopicsCodecIsReadBackWhole(String codec) {
        String topic = topic(Encoding.usual(), "compression.type", codec);
        List<String> values = longerValues(500);
        produce(topic, values, "compression.type", "none");
        produce(topic, values, "compression.type", "gzip");
        assertThat(values(readAll(topic, 1_000)).subList(500, 1_000)).isEqualTo(values);
    }

    private static List<String> longerValues(int count) {
        return numbers(0, count).stream()
                .map(number -> number + "-" + "abcdefghij".repeat(number.length() * 5))
                .toList();
    }

    @Test
    void aRecordOverMaxMessageBytesIsRefusedAndTakesNoOffset() {
        String topic = topic(Encoding.usual());
        KafkaProducer<byte[], byte[]> producer = producer("max.request.size", 20_000_000);
        send(producer, record(topic, "before"));
        assertThat(failure(producer.send(new ProducerRecord<>(topic, 0, null, random(1_200_000)))))
                .isInstanceOf(RecordTooLargeException.class);
        send(producer, record(topic, "after"));
        assertThat(values(readAll(topic, 2))).containsExactly("before", "after");
    }

    @Test
    void maxMessageBytesIsATopicsOwn() {
        String small = topic(Encoding.usual(), "max.message.bytes", "1000");
        String large = topic(Encoding.usual(), "max.message.bytes", "4000000");
        KafkaProducer<byte[], byte[]> producer = producer("max.request.size", 20_000_000);
        assertThat(failure(producer.send(new ProducerRecord<>(small, 0, null, random(2_000)))))
                .isInstanceOf(RecordTooLargeException.class);
        byte[] value = random(3_000_000);
        send(producer, new ProducerRecord<>(large, 0, null, value));
        assertThat(readAll(large, 1).get(0).value()).isEqualTo(value);
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    @Test
    void createTimeIsKeptAsSent() {
        String topic = topic(Encoding.usual());
        long now = Instant.now().toEpochMilli();
        long[] times = {now - 5_000, now - 1_000, now - 3_000, now, 1, now - 86_400_000L * 30};
        KafkaProducer<byte[], byte[]> producer = producer();
        for (long time : times) {
            RecordMetadata told = send(producer, new ProducerRecord<>(topic, 0, time, null, bytes("v")));
            assertThat(told.timestamp()).isEqualTo(time);
        }
        List<ConsumerRecord<byte[], byte[]>> got = readAll(topic, times.length);
        assertThat(got.stream().mapToLong(ConsumerRecord::timestamp).toArray()).isEqualTo(times);
        assertThat(got).allMatch(record -> record.timestampType() == TimestampType.CREATE_TIME);
    }

    @Test
    void logAppendTimeIsTheBrokersClock() {
        String topic = topic(Encoding.usual(), "message.timestamp.type", "LogAppendTime");
        long before = Instant.now().toEpochMilli() - 1_000;
        KafkaProducer<byte[], byte[]> producer = producer();
        List<Long> told = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            told.add(send(producer, new ProducerRecord<>(topic, 0, 1_000L + i, null, bytes("v")))
                    .timestamp());
        }
        List<ConsumerRecord<byte[], byte[]>> got = readAll(topic, 3);
        assertThat(got.stream().map(ConsumerRecord::timestamp).toList()).isEqualTo(told);
        assertThat(told)
                .allMatch(time -> time >= before && time <= Instant.now().toEpochMilli() + 1_000);
        assertThat(got).allMatch(record -> record.timestampType() == TimestampType.LOG_APPEND_TIME);
    }

    @Test
    void timestampsOutsideATopicsBoundsAreRefused() {
        String topic = topic(
                Encoding.usual(),
                "message.timestamp.before.max.ms",
                "60000",
                "message.timestamp.after.max.ms",
                "60000");
        long now = Instant.now().toEpochMilli();
        KafkaProducer<byte[], byte[]> producer = producer("enable.idempotence", false, "retries", 0);
        send(producer, new ProducerRecord<>(topic, 0, now - 1_000, null, bytes("v")));
        for (long outside : new long[] {now - 600_000, now + 600_000}) {
            assertThat(failure(producer.send(new ProducerRecord<>(topic, 0, outside, null, bytes("v")))))
                    .isInstanceOf(InvalidTimestampException.class);
        }
        readAll(topic, 1);
    }
}
