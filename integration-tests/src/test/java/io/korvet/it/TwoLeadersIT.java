package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.ChildProcess;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.broker.TestBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartitionInfo;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two brokers of which one stands still while the other takes over, and wakes up; and two whose clocks are apart and jump:
 * what was acknowledged is there once, in order, and nobody read anything else.
 *
 * <p>{@code -Dkorvet.it.pause=60} is how many seconds it stands still at least, and makes it do so three times.
 */
@Tag("waits")
@Timeout(400)
class TwoLeadersIT extends BrokerBehaviour {

    private static final int PARTITIONS = 8;
    private static final long PAUSE_SECONDS = Long.getLong("korvet.it.pause", 1);
    private static final int ROUNDS = PAUSE_SECONDS > 1 ? 3 : 1;
    private static final String PYTHON = "/usr/bin/python3";

    private final List<KorvetBroker> brokers = new ArrayList<>();

    @Nullable
    private RedisProcess redis;

    @BeforeEach
    void startRedis() {
        assumeThat(BrokerUnderTest.kind()).as("several brokers over one Redis").isEqualTo(TestBroker.Kind.KORVET);
        redis = new RedisProcess();
        redis.start();
    }

    @AfterEach
    void endAll() {
        brokers.forEach(KorvetBroker::close);
        if (redis != null) {
            redis.close();
        }
    }

    @Override
    TestBroker broker() {
        return brokers.get(0);
    }

    private void startBrokers(List<String> firstsEnvironment, List<String> secondsEnvironment) {
        int id = 0;
        for (List<String> environment : List.of(firstsEnvironment, secondsEnvironment)) {
            KorvetBroker broker = KorvetBroker.over(
                    Objects.requireNonNull(redis),
                    environment,
                    "korvet.broker.id=" + id++,
                    "korvet.broker.heartbeat-interval=500ms",
                    "korvet.broker.stale-after=3s");
            brokers.add(broker);
            broker.start();
        }
    }

    private String bootstraps() {
        return brokers.stream().map(KorvetBroker::bootstrap).collect(Collectors.joining(","));
    }

    private Set<Integer> leaders(String topic) {
        return describe(topic).partitions().stream()
                .map(TopicPartitionInfo::leader)
                .map(node -> node == null ? -1 : node.id())
                .collect(Collectors.toSet());
    }

    private void awaitLeaders(String topic, Integer... ids) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .ignoreExceptions()
                .until(() -> leaders(topic).equals(Set.of(ids)));
    }

    @Test
    void aBrokerThatStoodStillWhileAnotherTookOverDoesNoHarmWhenItWakesUp() {
        startBrokers(List.of(), List.of());
        String topic = topic(PARTITIONS, Encoding.usual());
        awaitLeaders(topic, 0, 1);
        try (NumberTraffic traffic = new NumberTraffic(bootstraps(), topic, PARTITIONS)) {
            traffic.awaitProgress();
            // The one that the admin client doesn't need.
            KorvetBroker still = brokers.get(1);
            for (int round = 0; round < ROUNDS; round++) {
                still.pause();
                try {
                    awaitLeaders(topic, 0);
                    traffic.awaitProgress();
                    long begun = System.nanoTime();
                    await().atMost(Duration.ofSeconds(PAUSE_SECONDS + 5))
                            .until(() -> System.nanoTime() - begun > PAUSE_SECONDS * 1_000_000_000L);
                } finally {
                    still.resume();
                }
                awaitLeaders(topic, 0, 1);
                traffic.awaitProgress();
            }
            traffic.stopAndCheck();
        }
    }

    @Test
    void aProducerOfLibrdkafkaSurvivesABrokerThatStoodStill() throws IOException {
        assumeThat(Files.exists(Path.of(PYTHON)) && imports("confluent_kafka"))
                .as("the Debian package python3-confluent-kafka is there")
                .isTrue();
        startBrokers(List.of(), List.of());
        String topic = topic(PARTITIONS, Encoding.usual());
        awaitLeaders(topic, 0, 1);
        Path end = ChildProcess.workFolder("input").resolve(topic + ".end");
        KorvetBroker still = brokers.get(1);
        try (ChildProcess python = ChildProcess.start(
                "steady",
                List.of(
                        PYTHON,
                        Path.of("src/test/clients/steady.py").toAbsolutePath().toString(),
                        bootstraps(),
                        topic,
                        Integer.toString(PARTITIONS),
                        end.toString()))) {
            awaitGrowth(topic, python);
            for (int round = 0; round < ROUNDS; round++) {
                still.pause();
                try {
                    awaitLeaders(topic, 0);
                    awaitGrowth(topic, python);
                } finally {
                    still.resume();
                }
                awaitLeaders(topic, 0, 1);
                awaitGrowth(topic, python);
            }
            Files.createFile(end);
            assertThat(python.awaitExit(Duration.ofMinutes(2)))
                    .as(python.output())
                    .isZero();
            int sent = Integer.parseInt(python.output()
                    .lines()
                    .filter(line -> line.startsWith("sent="))
                    .findFirst()
                    .orElseThrow()
                    .substring(5));
            List<String> expected =
                    numbers(0, sent).stream().map(number -> "python " + number).toList();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                assertThat(NumberTraffic.valuesOf(bootstraps(), topic, partition))
                        .isEqualTo(expected);
            }
        } finally {
            Files.deleteIfExists(end);
        }
    }

    private static boolean imports(String module) {
        try (ChildProcess process = ChildProcess.start("assume", List.of(PYTHON, "-c", "import " + module))) {
            return process.awaitExit(Duration.ofSeconds(30)) == 0;
        }
    }

    /** Until all partitions have more than they had, twice over: what was under way before doesn't count. */
    private void awaitGrowth(String topic, ChildProcess client) {
        for (int time = 0; time < 2; time++) {
            List<Long> before = NumberTraffic.ends(bootstraps(), topic, PARTITIONS);
            await().atMost(Duration.ofMinutes(1))
                    .pollInterval(Duration.ofMillis(200))
                    .failFast(client::assertAlive)
                    .ignoreExceptions()
                    .until(() -> {
                        List<Long> now = NumberTraffic.ends(bootstraps(), topic, PARTITIONS);
                        return Stream.iterate(0, i -> i + 1)
                                .limit(PARTITIONS)
                                .allMatch(i -> now.get(i) > before.get(i));
                    });
        }
    }

    @Test
    void clocksThatAreTenMinutesApartAndJumpDoNoHarm() throws IOException {
        Path library = steppedClock();
        assumeThat(library)
                .as("a C compiler that compiles stepped_clock.c is there")
                .isNotNull();
        Path clock = ChildProcess.workFolder("input").resolve(name("clock"));
        setClock(clock, 600);
        startBrokers(List.of(), List.of("LD_PRELOAD=" + library, "STEPPED_CLOCK_FILE=" + clock));
        String topic = topic(PARTITIONS, Encoding.TIME);
        awaitLeaders(topic, 0, 1);
        try (NumberTraffic traffic = new NumberTraffic(bootstraps(), topic, PARTITIONS)) {
            traffic.awaitProgress();
            for (int seconds : List.of(-600, 600, 0).subList(0, ROUNDS)) {
                setClock(clock, seconds);
                traffic.awaitProgress();
                // Partitions of the broker with the other clock go to its neighbour, and come back.
                brokers.get(1).pause();
                try {
                    awaitLeaders(topic, 0);
                    traffic.awaitProgress();
                } finally {
                    brokers.get(1).resume();
                }
                awaitLeaders(topic, 0, 1);
                traffic.awaitProgress();
            }
            traffic.stopAndCheck();
            assertThat(traffic.largestOffset() >> 10)
                    .as("the clock was ahead")
                    .isGreaterThan(System.currentTimeMillis() + 300_000);
        } finally {
            Files.deleteIfExists(clock);
        }
    }

    /** The library of the fault runs, which adds what a file says to the clock of the process it is loaded into. */
    private static @Nullable Path steppedClock() {
        Path library = ChildProcess.workFolder("input").resolve("stepped_clock.so");
        Path source = Path.of("faults/src/main/resources/stepped_clock.c").toAbsolutePath();
        try (ChildProcess compiler = ChildProcess.start(
                "compiler", List.of("sh", "-c", "cc -O2 -shared -fPIC -o " + library + " " + source + " -ldl"))) {
            return compiler.awaitExit(Duration.ofSeconds(30)) == 0 ? library : null;
        }
    }

    private static void setClock(Path file, long seconds) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(
                    ByteBuffer.allocate(Long.BYTES)
                            .order(ByteOrder.nativeOrder())
                            .putLong(seconds)
                            .flip(),
                    0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
