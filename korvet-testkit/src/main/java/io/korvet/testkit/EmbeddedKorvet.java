package io.korvet.testkit;

import io.korvet.server.KorvetServer;
import io.korvet.server.RedisUse;
import io.korvet.server.config.KorvetConfig;
import io.korvet.server.dev.DataDirectory;
import io.korvet.server.dev.DevRedis;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;

/**
 * A broker in this JVM with a Redis process of its own, on free ports of the loopback interface; nothing is kept.
 *
 * <p>Redis is the {@code redis-server} on the PATH if it is 6.2 or newer, else the one inside Korvet. It ends with this JVM,
 * even when that is killed. Thread-safe once started.
 */
public final class EmbeddedKorvet implements AutoCloseable {

    private static final Map<String, String> FOR_TESTS = Map.of(
            "broker.host", "127.0.0.1",
            "broker.port", "0",
            "broker.rebalance-delay", "0ms",
            "broker.group.min-session-timeout", "100ms",
            "admin.host", "127.0.0.1",
            "admin.port", "0",
            "admin.anonymous-prometheus", "true");

    private final DevRedis redis;
    private final KorvetServer server;

    private EmbeddedKorvet(DevRedis redis, KorvetServer server) {
        this.redis = redis;
        this.server = server;
    }

    /** A running one with settings that suit tests: no delay before a group's first rebalance, short sessions allowed. */
    public static EmbeddedKorvet start() {
        return start(Map.of());
    }

    /**
     * A running one.
     *
     * @param settings keys of docs/configuration.md; they go before those that suit tests
     * @throws io.korvet.server.config.ConfigException when a setting is wrong
     * @throws io.korvet.server.StartException when Redis or the broker can't be started
     */
    public static EmbeddedKorvet start(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(FOR_TESTS);
        settings.forEach((key, value) -> all.put(key.replaceFirst("^korvet\\.", ""), value));
        KorvetConfig config = KorvetConfig.of(all);
        DevRedis redis = DevRedis.startAnywhere(DataDirectory.ephemeral());
        try {
            KorvetServer server =
                    new KorvetServer(config.withRedis(config.redis().at("127.0.0.1", redis.port())), RedisUse.PRIVATE);
            server.start();
            return new EmbeddedKorvet(redis, server);
        } catch (RuntimeException | Error e) {
            redis.stop();
            throw e;
        }
    }

    /** What clients take as {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return "127.0.0.1:" + server.kafkaPort();
    }

    /** Its Redis, to look at what it keeps. */
    public URI redisUri() {
        return URI.create("redis://127.0.0.1:" + redis.port());
    }

    /** Where health and metrics are served. */
    public URI httpUri() {
        return URI.create("http://127.0.0.1:" + server.httpPort());
    }

    /** A producer; close it. */
    public <K, V> Producer<K, V> producer(Serializer<K> keys, Serializer<V> values) {
        return new KafkaProducer<>(clientSettings(), keys, values);
    }

    /** A consumer in a group that begins with the first record; close it. */
    public <K, V> Consumer<K, V> consumer(String group, Deserializer<K> keys, Deserializer<V> values) {
        Map<String, Object> settings = clientSettings();
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        return new KafkaConsumer<>(settings, keys, values);
    }

    /** An admin client; close it. */
    public Admin admin() {
        return Admin.create(clientSettings());
    }

    private Map<String, Object> clientSettings() {
        return new HashMap<>(Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers()));
    }

    /** Stops the broker, then its Redis; idempotent. */
    @Override
    public void close() {
        try {
            server.stop();
        } finally {
            redis.stop();
        }
    }
}
