package io.korvet.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerProcessIT {

    @TempDir
    Path directory;

    private final int kafka = ServerProcess.freePort();
    private final int http = ServerProcess.freePort();
    private final int redis = ServerProcess.freePort();

    private ServerProcess dev(String... more) {
        return devAt(kafka, more);
    }

    private ServerProcess devAt(int port, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "server",
                "--dev",
                "--port",
                String.valueOf(port),
                "--http-port",
                String.valueOf(http),
                "--set",
                "redis.port=" + redis));
        arguments.addAll(List.of(more));
        return ServerProcess.start(directory, arguments.toArray(String[]::new));
    }

    @Test
    void afterAKillTheNextStartFindsTheDataAndNothingInItsWay() throws Exception {
        String data = directory.resolve("data").toString();
        try (ServerProcess server = dev("--data-dir", data).ready()) {
            try (Admin admin = admin()) {
                admin.createTopics(List.of(new NewTopic("orders", 3, (short) 1)))
                        .all()
                        .get(30, TimeUnit.SECONDS);
            }
            server.kill();
        }
        try (ServerProcess server = dev("--data-dir", data).ready()) {
            try (Admin admin = admin()) {
                assertThat(admin.listTopics().names().get(30, TimeUnit.SECONDS)).isEqualTo(Set.of("orders"));
            }
            server.signalGroup("TERM");
            assertThat(server.exitCode()).isZero();
        }
    }

    @Test
    void afterAKillAnotherPortCanBeTakenAtOnce() throws Exception {
        String data = directory.resolve("data").toString();
        try (ServerProcess server = dev("--data-dir", data).ready()) {
            server.kill();
        }
        int another = ServerProcess.freePort();
        try (ServerProcess server = devAt(another, "--data-dir", data).ready()) {
            assertThat(server.output()).contains("localhost:" + another);
            server.signalGroup("TERM");
            assertThat(server.exitCode()).isZero();
        }
    }

    @Test
    void ctrlCEndsTheBrokerAndThenItsRedis() throws Exception {
        Path data = directory.resolve("data");
        try (ServerProcess server = dev("--data-dir", data.toString()).ready()) {
            ProcessHandle running = redisOf(data);
            server.signalGroup("INT");

            assertThat(server.exitCode()).isZero();
            assertThat(running.isAlive()).isFalse();
            // Had Redis gone first, the broker would have complained.
            assertThat(server.output()).contains("Korvet has stopped").doesNotContain("Exception", "WARN", "ERROR");
            assertThat(Files.readString(data.resolve("redis/redis.log"))).contains("SIGTERM");
        }
    }

    @Test
    void anEphemeralOneEndsWithItsBrokerEvenByAKill() throws Exception {
        try (ServerProcess server = dev("--ephemeral").ready()) {
            assertThat(server.output())
                    .contains("nothing is kept", "localhost:" + kafka)
                    .doesNotContain("is recommended");
            server.kill();
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> canListen(redis));
        assertThat(directory.resolve("data")).doesNotExist();
    }

    @Test
    void aTakenPortIsSaidInALineAndNoRedisIsLeft() throws Exception {
        try (ServerSocket taken = new ServerSocket(kafka);
                ServerProcess server = dev("--ephemeral")) {
            assertThat(taken.isBound()).isTrue();
            assertThat(server.exitCode()).isEqualTo(1);
            assertThat(server.output())
                    .contains("korvet: port " + kafka + " is in use")
                    .contains("--port")
                    .doesNotContain("\tat ", "Korvet has stopped");
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> canListen(redis));
    }

    @Test
    void aRedisThatIsNotThereIsNamedWithWhatToDo() throws Exception {
        try (ServerProcess server =
                ServerProcess.start(directory, "server", "--redis-uri", "redis://:hush@127.0.0.1:" + redis)) {
            assertThat(server.exitCode()).isEqualTo(1);
            assertThat(server.output())
                    .contains("korvet: Redis at redis://127.0.0.1:" + redis)
                    .contains("--redis-uri", "--dev")
                    .doesNotContain("hush", "\tat ");
        }
    }

    @Test
    void topicSettingsThatNoTopicCanHaveStopTheStartAndConfigSaysTheSame() throws Exception {
        String[] settings = {
            "--set", "topics[0].name=orders",
            "--set", "topics[0].segment-bytes=0",
            "--set", "topics[0].cleanup-policy=compact",
            "--set", "topics[0].remote-storage-enable=true",
            "--set", "storage.remote.path=file:///nowhere"
        };
        for (String command : List.of("server", "config")) {
            List<String> arguments = new ArrayList<>(List.of(command));
            arguments.addAll(List.of(settings));
            try (ServerProcess process = ServerProcess.start(directory, arguments.toArray(String[]::new))) {
                assertThat(process.exitCode()).isEqualTo(1);
                assertThat(process.output())
                        .startsWith("korvet: The configuration has 2 problems:")
                        .contains("korvet.topics[0].segment-bytes = 0 (--set): expected a whole number from 14")
                        .contains("korvet.topics[0].cleanup-policy = compact (--set): expected delete")
                        .doesNotContain("\tat ");
            }
        }
    }

    @Test
    void aTopicThatIsNotMadeForItsSettingsIsLoggedOnce() throws Exception {
        String[] settings = {
            "--tiering", // gives the path that the first entry needs
            "--ephemeral",
            "--set",
            "topics[0].name=a*",
            "--set",
            "topics[0].remote-storage-enable=true",
            "--set",
            "topics[0].min-compaction-lag-time=2m",
            "--set",
            "topics[1].name=*z",
            "--set",
            "topics[1].max-compaction-lag-time=1m"
        };
        try (ServerProcess server = dev(settings).ready()) {
            Map<String, Object> config = Map.of(
                    ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    "127.0.0.1:" + kafka,
                    ProducerConfig.RETRY_BACKOFF_MS_CONFIG,
                    50,
                    ProducerConfig.MAX_BLOCK_MS_CONFIG,
                    1500);
            try (Producer<byte[], byte[]> producer =
                    new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
                for (int time = 0; time < 3; time++) {
                    assertThatExceptionOfType(KafkaException.class).isThrownBy(() -> producer.partitionsFor("a-to-z"));
                }
                assertThat(producer.partitionsFor("a-to-y")).hasSize(1);
            }
            await().atMost(Duration.ofSeconds(20)).until(() -> server.output().contains("not made for a client"));
            assertThat(server.output()
                            .lines()
                            .filter(line -> line.contains("WARN") && line.contains("not made for a client")))
                    .singleElement()
                    .asString()
                    .contains(
                            "Invalid value 120000 for configuration min.compaction.lag.ms",
                            "which is 60000",
                            "topic=\"a-to-z\"");
            server.signalGroup("TERM");
            assertThat(server.exitCode()).isZero();
        }
    }

    private Admin admin() {
        return Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                "127.0.0.1:" + kafka,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                30_000));
    }

    private static ProcessHandle redisOf(Path data) throws IOException {
        long pid =
                Long.parseLong(Files.readString(data.resolve("redis/redis.pid")).strip());
        return ProcessHandle.of(pid).orElseThrow();
    }

    private static boolean canListen(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
