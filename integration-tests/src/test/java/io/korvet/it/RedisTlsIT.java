package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.TestBroker;
import io.korvet.it.broker.TestBroker.Kind;
import io.korvet.store.redis.Certificate;
import io.korvet.store.redis.RedisClusterProcesses;
import io.korvet.store.redis.RedisServerProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Redis reached over TLS, with a certificate that the JVM's trust store has. */
class RedisTlsIT extends BrokerBehaviour {

    @TempDir
    Path folder;

    private Certificate certificate;

    @Nullable
    private KorvetBroker own;

    @BeforeEach
    void makeCertificate() {
        assumeThat(BrokerUnderTest.kind()).as("Kafka has no Redis").isEqualTo(Kind.KORVET);
        certificate = new Certificate(folder, "ip:127.0.0.1");
    }

    @Override
    TestBroker broker() {
        return Objects.requireNonNull(own);
    }

    private KorvetBroker trusting(String... settings) {
        return KorvetBroker.with(settings)
                .withEnvironment(List.of("JAVA_OPTS=-Djavax.net.ssl.trustStore=" + certificate.trustStore()
                        + " -Djavax.net.ssl.trustStorePassword=" + Certificate.PASSWORD));
    }

    private void start(String... settings) {
        KorvetBroker broker = closing(trusting(settings));
        own = broker;
        broker.start();
    }

    @Test
    void aServerWithAPasswordIsUsedOverTlsAlone() {
        RedisServerProcess redis =
                closing(RedisServerProcess.start(certificate.serverOptions("--requirepass", "secret")));
        start("korvet.redis.uri=rediss://127.0.0.1:" + redis.tlsPort(), "korvet.redis.password=secret");
        String topic = topic(Encoding.usual());
        produce(topic, numbers(0, 10));
        assertThat(values(readAll(topic, 10))).isEqualTo(numbers(0, 10));
    }

    @Test
    void allNodesOfAClusterAreUsedOverTlsAlsoAfterAFailOver() {
        RedisClusterProcesses redis = closing(new RedisClusterProcesses(
                3, 1, certificate.serverOptions("--tls-cluster", "yes", "--tls-replication", "yes")));
        start("korvet.redis.uri=" + redis.tlsUri(), "korvet.redis.cluster=true");
        String topic = topic(12, Encoding.usual());
        int registry = RedisClusterProcesses.slotOf("korvet:broker:nodes");
        String channel = "{korvet:broker:nodes}:signs:0";
        RedisServerProcess first = redis.masterOf(registry);
        await().atMost(PATIENCE)
                .until(() -> first.words("PUBSUB", "NUMSUB", channel).equals(List.of(channel, "1")));
        produce(topic, numbers(0, 10));
        first.kill();
        await().atMost(PATIENCE).until(() -> redis.masterOf(registry) != first);
        await().atMost(PATIENCE)
                .until(() -> redis.masterOf(registry)
                        .words("PUBSUB", "NUMSUB", channel)
                        .equals(List.of(channel, "1")));
        produce(topic, numbers(10, 10));
        assertThat(values(read(reader(topic), 20))).containsAll(numbers(10, 10));
    }

    @Test
    void aCertificateThatNobodyTrustsOrOfAnotherNameIsRefusedAtOnce() {
        RedisServerProcess redis = closing(RedisServerProcess.start(certificate.serverOptions()));
        String uri = "korvet.redis.uri=rediss://127.0.0.1:" + redis.tlsPort();
        assertThat(KorvetBroker.refusedStart(uri))
                .contains("korvet: Redis at rediss://127.0.0.1:" + redis.tlsPort(), "valid certification path")
                .doesNotContain("\tat ");
        certificate = new Certificate(folder.resolve("other"), "dns:elsewhere");
        RedisServerProcess other = closing(RedisServerProcess.start(certificate.serverOptions()));
        assertThat(KorvetBroker.refusedStart(trusting("korvet.redis.uri=rediss://127.0.0.1:" + other.tlsPort())))
                .contains("korvet: Redis at rediss://127.0.0.1:" + other.tlsPort(), "127.0.0.1 found")
                .doesNotContain("\tat ");
    }
}
