package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.ChildProcess;
import io.korvet.it.broker.FreePorts;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.broker.TestBroker.Kind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What one process may be: broker and storage worker, one of them, but not none. */
@Timeout(120)
class ShapesIT {
    private static final RedisProcess REDIS = new RedisProcess();

    @BeforeAll
    static void startRedis() {
        assumeThat(BrokerUnderTest.kind()).as("Korvet's settings").isEqualTo(Kind.KORVET);
        REDIS.start();
    }

    @AfterAll
    static void endRedis() {
        REDIS.close();
    }

    private static boolean servesClients(KorvetBroker broker) {
        return FreePorts.listening(Integer.parseInt(broker.bootstrap().replaceAll(".*:", "")));
    }

    private static boolean registered(int id) {
        return REDIS.command("HEXISTS korvet:broker:nodes " + id).startsWith(":1");
    }

    @Test
    void aProcessIsBrokerAndStorageWorkerUnlessToldOtherwise() {
        try (KorvetBroker broker = KorvetBroker.over(REDIS, "korvet.broker.id=1")) {
            broker.start();
            assertThat(servesClients(broker)).isTrue();
            assertThat(registered(1)).isTrue();
            assertThat(broker.page("/actuator/prometheus")).contains("korvet_storage_worker_up 1.0");
        }
    }

    @Test
    void aBrokerWithoutStorageWorkerServesClients() {
        try (KorvetBroker broker =
                KorvetBroker.over(REDIS, "korvet.broker.id=2", "korvet.storage.worker.enabled=false")) {
            broker.start();
            assertThat(servesClients(broker)).isTrue();
            assertThat(registered(2)).isTrue();
            assertThat(broker.page("/actuator/prometheus")).contains("korvet_storage_worker_up 0.0");
        }
    }

    @Test
    void aStorageWorkerWithoutBrokerServesNoClientsAndIsNotInTheRegistry() {
        try (KorvetBroker worker = KorvetBroker.over(REDIS, "korvet.broker.id=3", "korvet.broker.enabled=false")) {
            worker.start();
            assertThat(servesClients(worker)).isFalse();
            assertThat(registered(3)).isFalse();
            assertThat(worker.page("/actuator/prometheus")).contains("korvet_storage_worker_up 1.0");
        }
    }

    @Test
    void neitherBrokerNorStorageWorkerIsAnError() {
        List<String> command = List.of(
                "env",
                "KORVET_BROKER_ENABLED=false",
                "KORVET_STORAGE_WORKER_ENABLED=false",
                "KORVET_REDIS_URI=" + REDIS.uri(),
                KorvetBroker.command().toString(),
                "server");
        try (ChildProcess process = ChildProcess.start("korvet-neither", command)) {
            assertThat(process.awaitExit(Duration.ofMinutes(1))).isEqualTo(1);
            assertThat(process.output())
                    .contains("korvet.broker.enabled", "korvet.storage.worker.enabled", "nothing to do")
                    .doesNotContain("\tat ");
        }
    }
}
