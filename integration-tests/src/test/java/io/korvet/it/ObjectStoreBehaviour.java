package io.korvet.it;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.korvet.it.archive.Archive;
import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.broker.TestBroker.Kind;
import io.korvet.tiering.S3Server;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Behaviour of a broker over an object store: each test's own broker, Redis and bucket, one S3 server for the class. */
abstract class ObjectStoreBehaviour extends TieredBehaviour {

    @Nullable
    private static S3Server server;

    private final String bucket = name("bucket");

    @Nullable
    private RedisProcess redis;

    @Nullable
    private KorvetBroker own;

    @BeforeAll
    static void startServer() {
        server = S3Server.start();
    }

    @AfterAll
    static void endServer() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void startBroker() {
        assumeThat(BrokerUnderTest.kind()).as("Kafka needs a plugin for this").isEqualTo(Kind.KORVET);
        s3().createBucket(bucket);
        RedisProcess store = new RedisProcess();
        store.start();
        redis = store;
        KorvetBroker broker = KorvetBroker.over(store, settings().toArray(String[]::new));
        own = broker;
        broker.start();
    }

    @AfterEach
    void endBroker() {
        if (own != null) {
            own.close();
        }
        if (redis != null) {
            redis.close();
        }
    }

    /** What the broker is told of its cold tier. */
    List<String> settings() {
        List<String> settings = new ArrayList<>(settings(s3(), bucket));
        settings.add("korvet.storage.remote.call-timeout=5s");
        // Or recent records would be read from memory, wherever they are.
        settings.add("korvet.broker.tail-cache-bytes=0");
        return settings;
    }

    /** What a broker is told of an archive in a server's bucket. */
    static List<String> settings(S3Server server, String bucket) {
        return List.of(
                "korvet.storage.remote.path=s3://" + bucket + "/korvet",
                "korvet.storage.remote.s3.endpoint=" + server.endpoint(),
                "korvet.storage.remote.s3.path-style-access=true",
                "korvet.storage.remote.s3.region=" + S3Server.REGION,
                "korvet.storage.remote.s3.access-key-id=" + S3Server.ACCESS_KEY,
                "korvet.storage.remote.s3.secret-access-key=" + S3Server.SECRET_KEY);
    }

    static S3Server s3() {
        return Objects.requireNonNull(server);
    }

    @Override
    final KorvetBroker korvet() {
        return Objects.requireNonNull(own);
    }

    @Override
    final RedisProcess redis() {
        return Objects.requireNonNull(redis);
    }

    @Override
    final Archive archive() {
        return Archive.in(bucket, s3().files(bucket), "korvet");
    }
}
