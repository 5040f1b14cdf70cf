package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.archive.Archive;
import io.korvet.it.raw.RawConnection;
import io.korvet.it.raw.Requests;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The S3 server killed and started again under a running broker. */
@Tag("waits")
class ObjectStoreOutageIT extends ObjectStoreBehaviour {

    @AfterEach
    void startServerAgain() {
        s3().restart();
    }

    @Test
    void hotTrafficGoesOnColdReadsAreRetriableAndNothingIsDroppedUnconfirmed() {
        String topic = tieredTopic();
        long first = produce(topic, numbers(0, 100)).get(0);
        awaitDropped(topic, 1);

        s3().kill();
        assertThat(Errors.forCode(fetched(topic, first))).isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        List<Long> hot = produce(topic, numbers(100, 100));
        KafkaConsumer<byte[], byte[]> tail = reader(topic);
        tail.seek(partition(topic), hot.get(0));
        assertThat(values(read(tail, 100))).isEqualTo(numbers(100, 100));
        assertThat(korvet().status("/actuator/health/readiness")).isEqualTo(200);
        await("the hot segment is sealed and its offload has failed")
                .atMost(MOVED)
                .untilAsserted(() -> {
                    assertThat(states(topic, "SEALED")).isEqualTo(1);
                    assertThat(korvet().page("/actuator/prometheus"))
                            .containsPattern(
                                    "korvet_storage_archive_failures_total\\{error_type=\"unavailable\"\\} [1-9]")
                            .containsPattern("korvet_storage_archive_lag_segments [1-9]");
                });
        // Local retention is over several times.
        await().during(Duration.ofSeconds(4))
                .atMost(Duration.ofSeconds(20))
                .until(() -> states(topic, "SEALED") == 1 && states(topic, "DROPPED") == 1);
        assertThat(korvet().page("/actuator/health")).contains("remoteStorage", "s3://");

        s3().restart();
        awaitDropped(topic, 2);
        assertThat(values(readAll(topic, 200))).isEqualTo(numbers(0, 200));
        assertThat(archive().rows(topic)).extracting(Archive.Row::value).isEqualTo(numbers(0, 200));
    }

    @Test
    void aBrokerStartsWithoutItAndTiersWhenItComes() {
        String topic = tieredTopic();
        korvet().stop();
        s3().kill();
        korvet().start();
        produce(topic, numbers(0, 100));
        assertThat(values(readAll(topic, 100))).isEqualTo(numbers(0, 100));
        assertThat(korvet().output()).contains("the cold tier can't be opened and is tried again");

        s3().restart();
        awaitDropped(topic, 1);
        assertThat(values(readAll(topic, 100))).isEqualTo(numbers(0, 100));
    }

    /** The error of a fetch by hand, so that no client hides it. */
    private short fetched(String topic, long offset) {
        RawConnection connection = connection();
        FetchResponseData answer = connection.exchange(
                FetchResponseData.class,
                Requests.fetch(topic, topicId(topic), offset, 1, 30_000),
                Requests.FETCH_BY_ID);
        return answer.responses().get(0).partitions().get(0).errorCode();
    }
}
