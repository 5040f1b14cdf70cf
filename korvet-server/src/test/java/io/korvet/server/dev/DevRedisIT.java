package io.korvet.server.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.korvet.server.StartException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevRedisIT {

    @TempDir
    Path directory;

    @Test
    void dataIsThereAfterAStopAndAStart() throws IOException {
        try (DevRedis redis = start()) {
            assertThat(command(redis, "SET greeting hello")).isEqualTo("+OK");
            assertThat(command(redis, "CONFIG GET maxmemory-policy")).startsWith("*2");
        }
        try (DevRedis redis = start()) {
            assertThat(command(redis, "STRLEN greeting")).isEqualTo(":5");
        }
        assertThat(directory.resolve("redis/redis.pid")).doesNotExist();
    }

    @Test
    void anEphemeralOneLeavesNothing() {
        DataDirectory data = DataDirectory.ephemeral();
        try (DevRedis redis = DevRedis.start(data, freePort())) {
            assertThat(redis.port()).isPositive();
            assertThat(data.root()).exists();
        }
        assertThat(data.root()).doesNotExist();
    }

    @Test
    void aDirectoryInUseIsRefused() {
        try (DevRedis redis = start()) {
            assertThat(redis.version()).isNotEmpty();
            assertThatExceptionOfType(StartException.class)
                    .isThrownBy(() -> DataDirectory.lasting(directory))
                    .withMessageContaining("Another Korvet uses")
                    .withMessageContaining("--data-dir");
        }
    }

    @Test
    void aTakenPortIsSaidAndTheDirectoryIsFreeAgain() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatExceptionOfType(StartException.class)
                    .isThrownBy(() -> DevRedis.start(DataDirectory.lasting(directory), taken.getLocalPort()))
                    .withMessageContaining("port " + taken.getLocalPort() + " is in use")
                    .withMessageContaining("redis.port");
        }
        start().close();
    }

    @Test
    void aPortThatAnotherRedisTookMeanwhileIsLeftToItAndAnotherTaken() throws IOException {
        try (DevRedis first = start()) {
            assertThat(command(first, "SET greeting hello")).isEqualTo("+OK");
            Iterator<Integer> ports =
                    List.of(first.port(), first.port(), freePort()).iterator();
            try (DevRedis second = DevRedis.start(DataDirectory.ephemeral(), 3, ports::next)) {
                assertThat(second.port()).isNotEqualTo(first.port());
                assertThat(command(second, "EXISTS greeting")).isEqualTo(":0");
            }
            assertThat(command(first, "EXISTS greeting")).isEqualTo(":1");
        }
    }

    @Test
    void afterSomePortsThatWereTakenItGivesUpAndSaysWhatRedisSaid() throws IOException {
        try (DevRedis first = start()) {
            DataDirectory data = DataDirectory.lasting(directory.resolve("second"));
            assertThatExceptionOfType(StartException.class)
                    .isThrownBy(() -> DevRedis.start(data, 2, first::port))
                    .withMessageContaining("Address already in use");
            DataDirectory.lasting(directory.resolve("second")).close();
        }
    }

    @Test
    void anEndThatNobodyAskedForIsTold() throws IOException {
        AtomicBoolean told = new AtomicBoolean();
        try (DevRedis redis = start()) {
            redis.onUnexpectedEnd(() -> told.set(true));
            long pid = Long.parseLong(
                    Files.readString(directory.resolve("redis/redis.pid")).strip());
            ProcessHandle.of(pid).orElseThrow().destroyForcibly();
            await().atMost(Duration.ofSeconds(20)).untilTrue(told);
        }
    }

    @Test
    void aLeftOverOfAnEarlierRunIsEnded() throws Exception {
        Path files = Files.createDirectories(directory.resolve("redis"));
        RedisBinary binary = RedisBinary.find(System.getenv("PATH"), directory.resolve("bin"));
        Process orphan = new ProcessBuilder(
                        binary.program().toString(),
                        "--port",
                        String.valueOf(freePort()),
                        "--pidfile",
                        files.resolve("redis.pid").toString(),
                        "--set-proc-title",
                        "no",
                        "--dir",
                        files.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> Files.exists(files.resolve("redis.pid"))
                            && !Files.readString(files.resolve("redis.pid")).isBlank());
            start().close();
            assertThat(orphan.isAlive()).isFalse();
        } finally {
            orphan.destroyForcibly();
        }
    }

    @Test
    void aPidFileThatNamesSomebodyElseHarmsNobody() throws Exception {
        Files.createDirectories(directory.resolve("redis"));
        Process somebody = new ProcessBuilder("sleep", "60").start();
        try {
            Files.writeString(directory.resolve("redis/redis.pid"), somebody.pid() + "\n");
            start().close();
            assertThat(somebody.isAlive()).isTrue();
        } finally {
            somebody.destroyForcibly();
        }
    }

    @Test
    void theBinaryInsideKorvetRunsWhereThereIsNoRedisOnThePath() {
        RedisBinary binary = RedisBinary.find("/nowhere", directory.resolve("bin"));

        assertThat(binary.version()).startsWith("6.2");
        assertThat(binary.program()).isExecutable().hasParentRaw(directory.resolve("bin"));
    }

    private DevRedis start() {
        return DevRedis.start(DataDirectory.lasting(directory), freePort());
    }

    private static int freePort() {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return any.getLocalPort();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String command(DevRedis redis, String command) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), redis.port())) {
            socket.setSoTimeout(5000);
            socket.getOutputStream().write((command + "\r\nQUIT\r\n").getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return answer.lines().findFirst().orElse("");
        }
    }
}
