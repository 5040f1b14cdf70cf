package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.archive.Archive;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.broker.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Behaviour of a broker with a cold tier: what tests of it have at hand. */
abstract class TieredBehaviour extends BrokerBehaviour {

    /** How long a segment may take from its age to the archive, on a busy machine. */
    static final Duration MOVED = Duration.ofSeconds(60);

    /** The broker. */
    abstract KorvetBroker korvet();

    /** Its Redis. */
    abstract RedisProcess redis();

    /** Its archive. */
    abstract Archive archive();

    @Override
    TestBroker broker() {
        return korvet();
    }

    /** A topic whose segments are sealed after a second and leave Redis when they are in the archive. */
    final String tieredTopic(String... more) {
        List<String> config = new ArrayList<>(
                List.of("remote.storage.enable", "true", "segment.ms", "1000", "local.retention.ms", "1000"));
        config.addAll(List.of(more));
        return topic(1, Encoding.usual(), config.toArray(String[]::new));
    }

    /** Produces values, in several segments. */
    final void produceSegments(String topic, int segments, int recordsEach) {
        KafkaProducer<byte[], byte[]> producer = producer("linger.ms", 20);
        for (int segment = 0; segment < segments; segment++) {
            for (String value : numbers(segment * recordsEach, recordsEach)) {
                var unused = producer.send(
                        new ProducerRecord<>(topic, 0, null, bytes("key-" + value), bytes(value), headers(value)));
            }
            producer.flush();
            int sealed = segment + 1;
            if (sealed < segments) {
                await("segment " + segment + " is sealed").atMost(MOVED).until(() -> sealedSegments(topic) >= sealed);
            }
        }
    }

    private static List<org.apache.kafka.common.header.Header> headers(String value) {
        return List.of(new org.apache.kafka.common.header.internals.RecordHeader("number", bytes(value)));
    }

    /** Waits until a topic's first so many segments are in the archive only. */
    final void awaitDropped(String topic, int segments) {
        await(segments + " segments of " + topic + " left Redis; log " + korvet().output())
                .atMost(MOVED)
                .untilAsserted(() ->
                        assertThat(states(topic, "DROPPED")).as(rows(topic)).isGreaterThanOrEqualTo(segments));
    }

    /** How many segments of a topic's partition 0 are in a state. */
    final int states(String topic, String state) {
        return (int) Pattern.compile("\"state\":\"" + state + "\"")
                .matcher(rows(topic))
                .results()
                .count();
    }

    private int sealedSegments(String topic) {
        return (int)
                Pattern.compile("\"state\":\"").matcher(rows(topic)).results().count();
    }

    private String rows(String topic) {
        return redis().command("HGETALL " + Archive.streamKey(topic) + ":segments");
    }
}
