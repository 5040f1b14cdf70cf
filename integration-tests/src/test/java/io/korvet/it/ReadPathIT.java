package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What reads cost Redis, by its own count of commands. */
@Tag("waits")
class ReadPathIT extends OwnBrokerBehaviour {

    private static final Pattern RANGES = Pattern.compile("cmdstat_xrange:calls=(\\d+)");

    private long rangesRead() {
        Matcher matcher = RANGES.matcher(redis().command("INFO commandstats"));
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }

    @Test
    void aConsumerAtTheTailCostsRedisNoRead() {
        String topic = topic(Encoding.usual());
        produce(topic, List.of("first"));
        KafkaConsumer<byte[], byte[]> consumer = reader(topic, "fetch.max.wait.ms", 5_000);
        assertThat(read(consumer, 1)).hasSize(1);
        long before = rangesRead();

        for (int i = 0; i < 20; i++) {
            produce(topic, numbers(100 * i, 100));
            assertThat(read(consumer, 100)).hasSize(100);
        }

        assertThat(rangesRead() - before).as("XRANGE calls for 2,000 records").isLessThanOrEqualTo(1);
    }

    @Test
    void aMebibyteFromRedisTakesOneOrTwoReads() {
        String topic = topic(Encoding.usual());
        String hundred = "x".repeat(94);
        int count = 50_000;
        produce(
                topic,
                numbers(100_000, count).stream().map(number -> number + hundred).toList(),
                "batch.size",
                100_000,
                "linger.ms",
                20);
        broker().kill();
        broker().start();
        long before = rangesRead();

        assertThat(readAll(topic, count)).hasSize(count);

        // 50,000 records of 100 bytes are some 5.5 MiB as Kafka sends them: six fetches, and one that finds the end.
        assertThat(rangesRead() - before).as("XRANGE calls for 5.5 MiB").isBetween(5L, 14L);
    }
}
