package io.korvet.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.korvet.server.topics.TopicConfigs;
import io.korvet.server.topics.TopicSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigReaderTest {

    @TempDir
    Path directory;

    @Test
    void nothingSetGivesTheDocumentedDefaults() {
        KorvetConfig config = KorvetConfig.defaults();

        assertThat(config.namespace()).isEqualTo("korvet");
        assertThat(config.broker().port()).isEqualTo(9092);
        assertThat(config.broker().maxRequestBytes()).isEqualTo(100 << 20);
        assertThat(config.broker().rebalanceDelay()).isEqualTo(Duration.ofSeconds(3));
        assertThat(config.broker().listeners()).isEmpty();
        assertThat(config.redis().connectionUri()).isEqualTo("redis://localhost:6379");
        assertThat(config.storage().worker().leaseDuration()).isEqualTo(Duration.ofMinutes(2));
        assertThat(config.admin().port()).isEqualTo(8080);
        assertThat(config.admin().password()).isNull();
    }

    @Test
    void commandLineGoesBeforeEnvironmentBeforeFileBeforeDefault() throws IOException {
        Path file = file("""
                korvet:
                  broker: {id: 1, port: 1001, host: 127.0.0.1}
                """);
        LoadedConfig loaded = new ConfigReader()
                .file(file)
                .environment(Map.of("KORVET_BROKER_PORT", "1002", "KORVET_BROKER_ID", "2", "HOME", "/"))
                .settings(Map.of("broker.id", "3"))
                .read();

        assertThat(loaded.config().broker().id()).isEqualTo(3);
        assertThat(loaded.config().broker().port()).isEqualTo(1002);
        assertThat(loaded.config().broker().host()).isEqualTo("127.0.0.1");
        assertThat(loaded.config().broker().bossThreads()).isEqualTo(1);
        assertThat(loaded.sourceOf("korvet.broker.id")).contains("--set");
        assertThat(loaded.sourceOf("korvet.broker.port")).contains("environment KORVET_BROKER_PORT");
        assertThat(loaded.sourceOf("korvet.broker.host")).contains("korvet.yml:2");
        assertThat(loaded.sourceOf("korvet.broker.boss-threads")).isEmpty();
    }

    @Test
    void aKeyMayBeWrittenWithAndWithoutTheRoot() {
        assertThat(KorvetConfig.of(Map.of("korvet.broker.port", "7")).broker().port())
                .isEqualTo(7);
        assertThat(KorvetConfig.of(Map.of("broker.port", "7")).broker().port()).isEqualTo(7);
    }

    @Test
    void environmentReachesIntoLists() {
        KorvetConfig config = new ConfigReader()
                .environment(Map.of(
                        "KORVET_BROKER_LISTENERS_0_NAME", "host",
                        "KORVET_BROKER_LISTENERS_0_PORT", "29092",
                        "KORVET_BROKER_LISTENERS_0_ADVERTISED_HOST", "localhost",
                        "KORVET_BROKER_GROUP_MIN_SESSION_TIMEOUT", "1s",
                        "KORVET_TOPICS_0_NAME", "*",
                        "KORVET_TOPICS_0_RETENTION_TIME", "1d"))
                .read()
                .config();

        assertThat(config.broker().listeners())
                .containsExactly(new ListenerConfig("host", "0.0.0.0", 29092, "localhost", null));
        assertThat(config.broker().group().minSessionTimeout()).isEqualTo(Duration.ofSeconds(1));
        assertThat(config.topics()).containsExactly(new TopicDefaults("*", null, Map.of("retention.ms", "86400000")));
    }

    @Test
    void whatKubernetesSetsForAServiceCalledKorvetIsNoConfiguration() {
        KorvetConfig config = new ConfigReader()
                .environment(Map.of(
                        "KORVET_SERVICE_HOST",
                        "10.0.0.1",
                        "KORVET_SERVICE_PORT_KAFKA",
                        "9092",
                        "KORVET_PORT",
                        "tcp://10.0.0.1:9092",
                        "KORVET_PORT_9092_TCP_ADDR",
                        "10.0.0.1",
                        "KORVET_LB_SERVICE_PORT",
                        "9092",
                        "KORVET_BROKER_PORT",
                        "tcp://10.0.0.1:9092",
                        "KORVET_LOG_LEVEL",
                        "DEBUG",
                        "KORVET_LOG_LEVEL_REDIS_DRIVER",
                        "INFO"))
                .read()
                .config();

        assertThat(config).isEqualTo(KorvetConfig.defaults());
    }

    @Test
    void allProblemsOfAllSourcesAreInOneMessage() throws IOException {
        Path file = file("""
                korvet:
                  broker:
                    prot: 9093
                    id: -1
                    max-pending-bytes: 10 elephants
                    listeners:
                      - name: broker
                        port: 9094
                      - port: 9095
                  topics:
                    - name: a*
                      offset-encoding: sparse
                  storage:
                    worker:
                      lease-duration: 10s
                """);
        ConfigException failure = catchThrowableOfType(
                ConfigException.class,
                () -> new ConfigReader()
                        .file(file)
                        .environment(Map.of("KORVET_REDIS_PASWORD", "hush"))
                        .settings(Map.of("admin.port", "70000", "redis.password", "${file:/nowhere/at/all}"))
                        .read());

        assertThat(failure.problems()).hasSize(9);
        assertThat(failure)
                .hasMessageContaining("9 problems")
                .hasMessageContaining(
                        "korvet.broker.prot = 9093 (korvet.yml:3): no such key; did you mean korvet.broker.port?")
                .hasMessageContaining(
                        "korvet.broker.id = -1 (korvet.yml:4): expected a whole number from 0 to 2147483647")
                .hasMessageContaining(
                        "korvet.broker.max-pending-bytes = 10 elephants (korvet.yml:5): expected a size such as 64MB")
                .hasMessageContaining("korvet.broker.listeners[1].name (default): expected a value")
                .hasMessageContaining("offset-encoding = sparse (korvet.yml:12): expected one of time dense")
                .hasMessageContaining("lease-duration = 10s (korvet.yml:15): expected longer than")
                .hasMessageContaining("did you mean KORVET_REDIS_PASSWORD?")
                .hasMessageContaining("korvet.admin.port = 70000 (--set): expected a whole number from 0 to 65535")
                .hasMessageContaining("expected a readable file /nowhere/at/all")
                .hasMessageNotContaining("hush");
    }

    @Test
    void aSecretIsNeverShown() {
        LoadedConfig loaded = new ConfigReader()
                .settings(Map.of("admin.password", "hush", "redis.uri", "redis://me:hush@cache:6379"))
                .read();

        assertThat(loaded.effective()).noneMatch(entry -> entry.shown().contains("hush"));
        assertThat(loaded.config().redis().shownUri()).isEqualTo("redis://cache:6379");
        assertThat(loaded.config().toString()).doesNotContain("hush");
    }

    @Test
    void placeHoldersAreFilledFromFilesAndTheEnvironment() throws IOException {
        Path secret = Files.writeString(directory.resolve("secret"), "hush\n");
        KorvetConfig config = new ConfigReader()
                .environment(Map.of("HOST_NAME", "cache"))
                .settings(Map.of("redis.password", "${file:" + secret + "}", "redis.host", "${env:HOST_NAME}.local"))
                .read()
                .config();

        assertThat(config.redis().password()).isEqualTo("hush");
        assertThat(config.redis().connectionUri()).isEqualTo("redis://:hush@cache.local:6379");
    }

    @Test
    void rolesThatAreBothOffAndNamesThatAreTakenAreRefused() {
        assertThat(problemsOf(Map.of("broker.enabled", "false", "storage.worker.enabled", "false")))
                .contains("nothing to do");
        assertThat(problemsOf(Map.of("broker.listeners[0].name", "broker", "broker.listeners[0].port", "1")))
                .contains("korvet.broker.listeners[0].name = broker");
        assertThat(problemsOf(Map.of("broker.resume-pending-bytes", "1GB"))).contains("less than");
        assertThat(problemsOf(Map.of("redis.uri", "http://x"))).contains("redis://host:port");
        assertThat(problemsOf(Map.of("redis.uri", "redis://x", "redis.host", "y")))
                .contains("not both");
        assertThat(problemsOf(Map.of("broker.listeners[1].name", "x", "broker.listeners[1].port", "1")))
                .contains("without a gap");
    }

    @Test
    void brokenYamlNamesTheLine() throws IOException {
        ConfigException failure = catchThrowableOfType(
                ConfigException.class,
                () -> new ConfigReader()
                        .file(file("korvet:\n  broker: [1, 2\n  x: 3\n"))
                        .read());

        assertThat(failure).hasMessageContaining("korvet.yml:3").hasMessageContaining("not readable as YAML");
    }

    @Test
    void aMissingFileAndAKeySetTwiceAreSaid() throws IOException {
        assertThat(catchThrowableOfType(
                        ConfigException.class,
                        () -> new ConfigReader()
                                .file(directory.resolve("none.yml"))
                                .read()))
                .hasMessageContaining("there is no such file");
        assertThat(catchThrowableOfType(
                        ConfigException.class,
                        () -> new ConfigReader()
                                .file(file("korvet.broker.port: 1\nkorvet:\n  broker:\n    port: 2\n"))
                                .read()))
                .hasMessageContaining("already set at korvet.yml:1");
    }

    @Test
    void ofEachFieldTheFirstMatchingTopicEntryCounts() throws IOException {
        KorvetConfig config = new ConfigReader().file(file("""
                korvet:
                  topics:
                    - name: orders-*
                      partitions: 6
                      retention-ms: -1
                    - name: '*'
                      partitions: 3
                      retention-time: 1h
                      segment-bytes: 16MB
                """)).read().config();

        assertThat(config.defaultsFor("orders-eu").partitions()).isEqualTo(6);
        assertThat(config.defaultsFor("orders-eu").settings())
                .isEqualTo(Map.of("retention.ms", "-1", "segment.bytes", "16777216"));
        assertThat(config.defaultsFor("other").settings())
                .isEqualTo(Map.of("retention.ms", "3600000", "segment.bytes", "16777216"));
    }

    @Test
    void settingsThatNoTopicCanHaveAreRefusedWithKeyValueAndWhatWasExpected() throws IOException {
        ConfigException failure = catchThrowableOfType(
                ConfigException.class, () -> new ConfigReader().file(file("""
                        korvet:
                          broker: {id: -1}
                          storage: {remote: {path: s3://bucket/korvet}}
                          topics:
                            - name: tiny
                              segment-bytes: 0
                              segment-time: 0s
                              min-insync-replicas: 0
                              retention-ms: -7
                              max-message-bytes: 3GB
                              cleanup-policy: shred
                              offset-sequence-bits: 17
                            - name: logs-*
                              remote-storage-enable: true
                              local-retention-time: 8d
                            - name: weekly
                              remote-storage-enable: true
                              retention-bytes: 1MB
                              local-retention-bytes: 2MB
                              local-retention-ms: -1
                            - name: keyed
                              cleanup-policy: compact
                              remote-storage-enable: true
                            - name: lags
                              min-compaction-lag-time: 2m
                              max-compaction-lag-time: 1m
                        """)).read());

        assertThat(failure.problems()).hasSize(13);
        assertThat(failure)
                .hasMessageContaining("13 problems")
                .hasMessageContaining("korvet.broker.id = -1 (korvet.yml:2)")
                .hasMessageContaining(
                        "korvet.topics[0].segment-bytes = 0 (korvet.yml:6): expected a whole number from 14"
                                + " to 2147483647 (for topics named tiny)")
                .hasMessageContaining("segment-time = 0s (korvet.yml:7): expected a whole number from 1 to 9223372036")
                .hasMessageContaining("min-insync-replicas = 0 (korvet.yml:8): expected a whole number from 1 to")
                .hasMessageContaining("retention-ms = -7 (korvet.yml:9): expected a duration")
                .hasMessageContaining(
                        "max-message-bytes = 3GB (korvet.yml:10): expected a whole number from 0 to 21474")
                .hasMessageContaining("cleanup-policy = shred (korvet.yml:11): expected a list of compact and delete")
                .hasMessageContaining("offset-sequence-bits = 17 (korvet.yml:12): expected a whole number from 1 to 16")
                .hasMessageContaining("korvet.topics[1].local-retention-time = 8d (korvet.yml:15): expected at most"
                        + " retention.ms, which is 604800000 (for topics named logs-*, together with"
                        + " korvet.topics[1].remote-storage-enable)")
                .hasMessageContaining("korvet.topics[2].local-retention-bytes = 2MB (korvet.yml:19): expected at most"
                        + " retention.bytes, which is 1048576")
                .hasMessageContaining("korvet.topics[2].local-retention-ms = -1 (korvet.yml:20): expected at most")
                .hasMessageContaining(
                        "korvet.topics[3].cleanup-policy = compact (korvet.yml:22): expected delete, since"
                                + " remote.storage.enable is true")
                .hasMessageContaining("korvet.topics[4].min-compaction-lag-time = 2m (korvet.yml:25): expected at most"
                        + " max.compaction.lag.ms, which is 60000");
    }

    @Test
    void tieringNeedsARemoteTier() {
        assertThat(problemsOf(Map.of("topics[0].name", "a", "topics[0].remote-storage-enable", "true")))
                .contains("korvet.topics[0].remote-storage-enable = true (--set): expected false, since there is no"
                        + " remote tier: korvet.storage.remote.path is not set");
    }

    @Test
    void entriesThatFitTheSameNamesAreCheckedTogetherAndEachProblemIsSaidOnce() throws IOException {
        ConfigException failure = catchThrowableOfType(
                ConfigException.class, () -> new ConfigReader().file(file("""
                        korvet:
                          storage: {remote: {path: s3://bucket/korvet}}
                          topics:
                            - name: orders-eu
                              partitions: 3
                            - name: orders-*
                              remote-storage-enable: true
                            - name: audit-??
                              remote-storage-enable: true
                              local-retention-time: 1h
                            - name: '*'
                              local-retention-time: 8d
                        """)).read());

        assertThat(failure.problems()).hasSize(1);
        assertThat(failure)
                .hasMessageContaining("korvet.topics[3].local-retention-time = 8d (korvet.yml:12): expected at most"
                        + " retention.ms, which is 604800000 (for topics named orders-*, together with"
                        + " korvet.topics[1].remote-storage-enable)");
    }

    @Test
    void anEntryIsNotRefusedForWhatAnEarlierOneGivesAllItsTopics() throws IOException {
        KorvetConfig config = new ConfigReader().file(file("""
                korvet:
                  storage: {remote: {path: s3://bucket/korvet}}
                  topics:
                    - name: '*'
                      retention-time: 30d
                    - name: logs-*
                      remote-storage-enable: true
                      local-retention-time: 8d
                """)).read().config();

        assertThat(config.topics()).hasSize(2);
    }

    @Test
    void aFallbackHoldsUnlessAnotherSourceHasTheKey() {
        LoadedConfig loaded = new ConfigReader()
                .fallback("broker.port", "1", "--dev")
                .fallback("broker.id", "1", "--dev")
                .settings(Map.of("broker.id", "2"))
                .read();

        assertThat(loaded.config().broker().id()).isEqualTo(2);
        assertThat(loaded.config().broker().port()).isEqualTo(1);
        assertThat(loaded.sourceOf("korvet.broker.port")).contains("--dev");
    }

    @Test
    void theFileKnowsAllTopicSettingsThatHaveAnEffect() {
        assertThat(Arrays.stream(TopicSettingKey.values()).map(TopicSettingKey::kafkaName))
                .containsExactlyInAnyOrderElementsOf(new TopicConfigs(TopicConfigs.RemoteTier.CONFIGURED)
                        .all().stream()
                                .filter(setting -> setting.use() != TopicSetting.Use.NO_EFFECT)
                                .map(TopicSetting::name)
                                .toList());
    }

    @Test
    void withoutAPathThereIsNoColdTierAndWithOneItHasDefaults() {
        assertThat(KorvetConfig.defaults().storage().remote().isConfigured()).isFalse();

        RemoteConfig remote = KorvetConfig.of(Map.of("storage.remote.path", "s3://bucket/korvet"))
                .storage()
                .remote();
        assertThat(remote.isConfigured()).isTrue();
        assertThat(remote.iceberg().rowGroupSize()).isEqualTo(128L << 20);
        assertThat(remote.iceberg().targetFileSize()).isEqualTo(128L << 20);
        assertThat(remote.iceberg().catalog()).isEmpty();
        assertThat(remote.s3()).isEqualTo(new S3Config(null, null, false, null, null));
        assertThat(remote.callTimeout()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void propertiesOfACatalogComeFromAllSourcesAndAreNotChecked() throws IOException {
        LoadedConfig loaded = new ConfigReader()
                .file(file("""
                        korvet:
                          storage:
                            remote:
                              path: file:///archive
                              iceberg:
                                catalog:
                                  type: jdbc
                                  jdbc: {user: me}
                                  jdbc.schema-version: V1
                        """))
                .environment(Map.of(
                        "KORVET_STORAGE_REMOTE_ICEBERG_CATALOG_JDBC__PASSWORD", "hush",
                        "KORVET_STORAGE_REMOTE_ICEBERG_CATALOG_IO_IMPL", "org.example.Io"))
                .settings(Map.of(
                        "storage.remote.iceberg.catalog.uri", "jdbc:x://me:hush@host/db?password=hush&ssl=true",
                        "storage.remote.iceberg.catalog.header.Authorization", "hush",
                        "storage.remote.iceberg.catalog.credential", "id:hush"))
                .read();

        assertThat(loaded.config().storage().remote().iceberg().catalog())
                .isEqualTo(Map.of(
                        "type", "jdbc",
                        "jdbc.user", "me",
                        "jdbc.schema-version", "V1",
                        "jdbc.password", "hush",
                        "io-impl", "org.example.Io",
                        "uri", "jdbc:x://me:hush@host/db?password=hush&ssl=true",
                        "header.Authorization", "hush",
                        "credential", "id:hush"));
        assertThat(loaded.effective()).noneMatch(entry -> entry.shown().contains("hush"));
        assertThat(loaded.config().toString()).doesNotContain("hush");
        assertThat(loaded.sourceOf("korvet.storage.remote.iceberg.catalog.io-impl"))
                .contains("environment KORVET_STORAGE_REMOTE_ICEBERG_CATALOG_IO_IMPL");
    }

    @Test
    void aColdTierThatCannotBeIsRefusedWithAllThatIsWrong() throws IOException {
        ConfigException failure = catchThrowableOfType(
                ConfigException.class, () -> new ConfigReader().file(file("""
                                korvet:
                                  storage:
                                    remote:
                                      path: /tmp/archive
                                      read-threads: 0
                                      call-timeout: soon
                                      regoin: eu-west-1
                                      s3:
                                        endpoint: localhost:9000
                                        secret-access-key: hush
                                      iceberg:
                                        row-group-size: 2GB
                                    worker:
                                      offload-parallelism: 65
                                """)).read());

        assertThat(failure.problems()).hasSize(7);
        assertThat(failure)
                .hasMessageContaining("korvet.storage.remote.read-threads = 0 (korvet.yml:5)")
                .hasMessageContaining("korvet.storage.remote.call-timeout = soon (korvet.yml:6): expected a duration")
                .hasMessageContaining("korvet.storage.remote.regoin = eu-west-1 (korvet.yml:7): no such key")
                .hasMessageContaining("s3.endpoint = localhost:9000 (korvet.yml:9): expected a URL")
                .hasMessageContaining("s3.access-key-id (default): expected a value, since")
                .hasMessageContaining("row-group-size = 2GB (korvet.yml:12): expected a size")
                .hasMessageContaining("offload-parallelism = 65 (korvet.yml:14): expected a whole number from 1 to 64")
                .hasMessageNotContaining("hush");
        for (String path : new String[] {"/tmp/archive", "s4://bucket", "http://bucket/x", "s3://", "file://host/x"}) {
            assertThat(problemsOf(Map.of("storage.remote.path", path)))
                    .contains("korvet.storage.remote.path = " + path)
                    .contains("expected s3://bucket/prefix, or file:///directory");
        }
    }

    @Test
    void anEmptyFileIsFine() throws IOException {
        assertThat(new ConfigReader().file(file("# nothing\n")).read().config()).isEqualTo(KorvetConfig.defaults());
    }

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("korvet.yml"), text);
    }

    @Test
    void anEmptyTextIsNoValueAndNoHostName() {
        KorvetConfig config = KorvetConfig.of(Map.of("broker.advertised-host", "", "admin.password", " "));
        assertThat(config.broker().advertisedHost()).isNull();
        assertThat(config.admin().password()).isNull();
        assertThat(problemsOf(
                        Map.of("broker.host", "", "broker.listeners[0].port", "1", "broker.listeners[0].name", "")))
                .contains("korvet.broker.host", "expected a value that is not empty")
                .contains("korvet.broker.listeners[0].name", "this key is required");
    }

    private static String problemsOf(Map<String, String> settings) {
        return String.valueOf(catchThrowableOfType(ConfigException.class, () -> KorvetConfig.of(settings))
                .getMessage());
    }

    @Test
    void redisIsFoundBySentinelsOrIsAClusterAndLogsMayHaveTheirOwn() {
        KorvetConfig config = KorvetConfig.of(Map.of(
                "redis.sentinel.nodes", "one:26379,two:26379",
                "redis.sentinel.master", "main",
                "redis.password", "hush",
                "storage.local.redis.uri", "redis://a:7000,b:7001",
                "storage.local.redis.cluster", "true"));
        assertThat(config.redis().connectionUri()).isEqualTo("redis-sentinel://:hush@one:26379,two:26379/0#main");
        assertThat(config.storage().local().redis().connectionUri()).isEqualTo("redis://a:7000,b:7001");
        assertThat(config.storage().local().redis().cluster()).isTrue();
        assertThat(KorvetConfig.defaults().storage().local().redis().isConfigured())
                .isFalse();
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> KorvetConfig.of(Map.of("redis.uri", "redis://a:1,b:2")))
                .withMessageContaining("korvet.redis.uri");
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> KorvetConfig.of(
                        Map.of("redis.cluster", "true", "redis.sentinel.nodes", "a:1", "redis.sentinel.master", "m")))
                .withMessageContaining("korvet.redis.cluster");
    }

    @Test
    void whatClientsAreToldIsAHostTheyCanConnectTo() {
        assertThat(problemsOf(Map.of(
                        "broker.advertised-host",
                        "0.0.0.0",
                        "broker.listeners[0].name",
                        "host",
                        "broker.listeners[0].port",
                        "9093",
                        "broker.listeners[0].advertised-host",
                        "::")))
                .contains(
                        "korvet.broker.advertised-host = 0.0.0.0",
                        "korvet.broker.listeners[0].advertised-host = ::",
                        "a host that clients can connect to");
    }

    @Test
    void httpAndKafkaHavePortsOfTheirOwn() {
        assertThat(problemsOf(Map.of("broker.port", "8080")))
                .contains("korvet.admin.port", "8080", "a port that no Kafka listener");
        assertThat(KorvetConfig.of(Map.of("broker.port", "8080", "admin.enabled", "false"))
                        .broker()
                        .port())
                .isEqualTo(8080);
    }
}
