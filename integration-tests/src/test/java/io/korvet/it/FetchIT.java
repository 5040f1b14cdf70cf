package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.raw.RawConnection;
import io.korvet.it.raw.Requests;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** When fetches answer, and fetch sessions (KIP-227). */
class FetchIT extends BrokerBehaviour {

    @Test
    void anIdleFetchAnswersAtItsMaximumWaitWithNoRecords() {
        String topic = topic(Encoding.usual());
        RawConnection connection = connection();
        FetchRequestData request = Requests.fetch(topic, topicId(topic), 0, 700, 1 << 20);
        connection.exchange(FetchResponseData.class, request, Requests.FETCH_BY_ID);

        long start = System.nanoTime();
        FetchResponseData answer = connection.exchange(FetchResponseData.class, request, Requests.FETCH_BY_ID);
        Duration taken = Duration.ofNanos(System.nanoTime() - start);

        assertThat(Errors.forCode(partition(answer).errorCode())).isEqualTo(Errors.NONE);
        assertThat(Requests.records(answer).sizeInBytes()).isZero();
        assertThat(taken).isBetween(Duration.ofMillis(650), Duration.ofMillis(2_500));
    }

    @Test
    void aWaitingFetchAnswersAtOnceWhenARecordArrives() {
        String topic = topic(Encoding.usual());
        Uuid id = topicId(topic);
        KafkaProducer<byte[], byte[]> producer = producer();
        long next = send(producer, record(topic, "warm")).offset() + 1;
        RawConnection connection = connection();
        for (int i = 0; i < 5; i++) {
            connection.send(Requests.fetch(topic, id, next, 20_000, 1 << 20), Requests.FETCH_BY_ID);
            await().pollDelay(Duration.ofMillis(200)).until(() -> true);
            long start = System.nanoTime();
            next = send(producer, record(topic, "x")).offset() + 1;
            FetchResponseData answer = (FetchResponseData) connection.receive(ApiKeys.FETCH, Requests.FETCH_BY_ID);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(1_500));
            assertThat(Requests.records(answer).records()).hasSize(1);
        }
    }

    @Test
    void aFetchBelowItsMinimumBytesWaits() {
        String topic = topic(Encoding.usual());
        produce(topic, List.of("small"));
        FetchRequestData request =
                Requests.fetch(topic, topicId(topic), 0, 600, 1 << 20).setMinBytes(100_000);
        request.topics()
                .get(0)
                .partitions()
                .get(0)
                .setFetchOffset(readAll(topic, 1).get(0).offset());
        long start = System.nanoTime();
        FetchResponseData answer = connection().exchange(FetchResponseData.class, request, Requests.FETCH_BY_ID);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(550), Duration.ofMillis(2_500));
        assertThat(Requests.records(answer).records()).hasSize(1);
    }

    @Test
    void aSessionAnswersOnlyWhatChanged() {
        Session session = new Session(topic(2, Encoding.usual()));
        FetchResponseData full = session.fetch(List.of(session.partition(0), session.partition(1)));
        assertThat(full.sessionId()).isNotZero();
        assertThat(full.responses().get(0).partitions()).hasSize(2);

        FetchResponseData idle = session.fetch(List.of());
        assertThat(idle.sessionId()).isEqualTo(full.sessionId());
        assertThat(idle.responses()).isEmpty();

        produce(session.topic, List.of("a"));
        FetchResponseData changed = session.fetch(List.of());
        assertThat(changed.responses())
                .singleElement()
                .satisfies(topic -> assertThat(topic.partitions())
                        .singleElement()
                        .satisfies(partition ->
                                assertThat(partition.partitionIndex()).isZero()));
        assertThat(Requests.records(changed).records()).hasSize(1);

        session.forget(0);
        FetchResponseData without = session.fetch(List.of());
        assertThat(without.responses()).isEmpty();
    }

    @Test
    void aSessionsWrongEpochAndAnUnknownSessionAreTold() {
        Session session = new Session(topic(1, Encoding.usual()));
        session.fetch(List.of(session.partition(0)));
        session.epoch = 9;
        assertThat(error(session.fetch(List.of()))).isEqualTo(Errors.INVALID_FETCH_SESSION_EPOCH);
        session.epoch = 1;
        session.id ^= 0x2aaaaaaa;
        assertThat(error(session.fetch(List.of()))).isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND);
    }

    @Test
    void aClosedSessionIsGone() {
        Session session = new Session(topic(1, Encoding.usual()));
        int id = session.fetch(List.of(session.partition(0))).sessionId();
        session.epoch = -1;
        session.fetch(List.of(session.partition(0)));
        session.id = id;
        session.epoch = 1;
        assertThat(error(session.fetch(List.of()))).isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND);
    }

    /** A session of one topic on one connection, advanced by hand. */
    private final class Session {
        private final RawConnection connection = connection();
        private final String topic;
        private final Uuid topicId;
        private List<ForgottenTopic> forgotten = List.of();
        private int id;
        private int epoch;

        Session(String topic) {
            this.topic = topic;
            this.topicId = topicId(topic);
        }

        FetchPartition partition(int index) {
            return new FetchPartition().setPartition(index).setPartitionMaxBytes(1 << 20);
        }

        void forget(int partition) {
            forgotten = List.of(
                    new ForgottenTopic().setTopic(topic).setTopicId(topicId).setPartitions(List.of(partition)));
        }

        FetchResponseData fetch(List<FetchPartition> partitions) {
            FetchRequestData request = new FetchRequestData()
                    .setMaxWaitMs(300)
                    .setMinBytes(1)
                    .setMaxBytes(1 << 20)
                    .setSessionId(id)
                    .setSessionEpoch(epoch)
                    .setForgottenTopicsData(forgotten)
                    .setTopics(
                            partitions.isEmpty()
                                    ? List.of()
                                    : List.of(new FetchTopic()
                                            .setTopic(topic)
                                            .setTopicId(topicId)
                                            .setPartitions(partitions)));
            FetchResponseData answer = connection.exchange(FetchResponseData.class, request, Requests.FETCH_BY_ID);
            forgotten = List.of();
            id = answer.sessionId();
            epoch++;
            return answer;
        }
    }

    private static Errors error(FetchResponseData answer) {
        return Errors.forCode(answer.errorCode());
    }

    @Test
    void anUnknownTopicIdIsTold() {
        FetchResponseData answer = connection()
                .exchange(
                        FetchResponseData.class,
                        Requests.fetch("", Uuid.randomUuid(), 0, 100, 1_000),
                        Requests.FETCH_BY_ID);
        assertThat(Errors.forCode(partition(answer).errorCode())).isEqualTo(Errors.UNKNOWN_TOPIC_ID);
    }

    @Test
    void anUnknownTopicNameAndPartitionAreTold() {
        FetchResponseData answer = connection()
                .exchange(
                        FetchResponseData.class,
                        Requests.fetch(name("nowhere"), Uuid.ZERO_UUID, 0, 100, 1_000),
                        Requests.FETCH_BY_NAME);
        assertThat(Errors.forCode(partition(answer).errorCode())).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);

        String topic = topic(Encoding.usual());
        FetchRequestData request = Requests.fetch(topic, topicId(topic), 0, 100, 1_000);
        request.topics().get(0).partitions().get(0).setPartition(5);
        FetchResponseData beyond = connection().exchange(FetchResponseData.class, request, Requests.FETCH_BY_ID);
        assertThat(Errors.forCode(partition(beyond).errorCode())).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    }

    private static PartitionData partition(FetchResponseData answer) {
        return answer.responses().get(0).partitions().get(0);
    }
}
