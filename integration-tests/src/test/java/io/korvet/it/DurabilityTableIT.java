package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.TestBroker;
import io.korvet.store.redis.RedisServerProcess;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The table of docs/durability.md: Redis is ended under producers of every kind, and what they were told is counted. Some
 * cells by default; all of them with {@code -Dkorvet.it.durability=long}.
 *
 * <p>A process that is killed leaves what it wrote to the operating system, so the loss of a machine is played: the
 * append-only file is cut to what had certainly been synced. That {@code always} syncs before it answers is Redis' word.
 */
class DurabilityTableIT extends BrokerBehaviour {
    private static final boolean LONG = "long".equals(System.getProperty("korvet.it.durability"));
    private static final Duration SYNCED_AT_THE_LATEST = Duration.ofSeconds(2);

    /** {@code appendfsync}. */
    enum Sync {
        NO,
        EVERYSEC,
        ALWAYS
    }

    enum Failure {
        BROKER_KILLED,
        REDIS_KILLED,
        MACHINE_LOST,
        FAIL_OVER
    }

    enum Acks {
        NONE,
        ONE,
        ALL_WITH_ONE_COPY,
        ALL_WITH_TWO_COPIES
    }

    /** What was told and written at one moment, in this order. */
    private record Moment(long nanos, Map<Acks, Integer> told, long fileLength) {}

    @Nullable
    private static RedisServerProcess master;

    @Nullable
    private static RedisServerProcess replica;

    @Nullable
    private static KorvetBroker broker;

    @BeforeAll
    static void start() {
        assumeThat(BrokerUnderTest.kind()).as("Kafka has no Redis").isEqualTo(TestBroker.Kind.KORVET);
        RedisServerProcess first = server();
        master = first;
        attachReplica();
        KorvetBroker started = KorvetBroker.with("korvet.redis.uri=" + first.uri());
        broker = started;
        started.start();
    }

    @AfterAll
    static void end() {
        if (broker != null) {
            broker.close();
        }
        if (master != null) {
            master.close();
        }
        if (replica != null) {
            replica.close();
        }
    }

    private static RedisServerProcess server(String... options) {
        return RedisServerProcess.start(Stream.concat(
                        Stream.of("--appendonly", "yes", "--auto-aof-rewrite-percentage", "0"), Stream.of(options))
                .toArray(String[]::new));
    }

    private static void attachReplica() {
        replica = server("--replicaof", "127.0.0.1", Integer.toString(master().port()));
        awaitReplica();
    }

    private static void awaitReplica() {
        await().atMost(PATIENCE)
                .until(() -> master().command("INFO", "replication").contains("state=online"));
    }

    private static RedisServerProcess master() {
        return Objects.requireNonNull(master);
    }

    private static RedisServerProcess replica() {
        return Objects.requireNonNull(replica);
    }

    @Override
    TestBroker broker() {
        return Objects.requireNonNull(broker);
    }

    static List<Arguments> cells() {
        List<Arguments> cells = new ArrayList<>();
        for (Failure failure : Failure.values()) {
            for (Sync sync : Sync.values()) {
                if (LONG || isShort(sync, failure)) {
                    cells.add(Arguments.of(sync, failure));
                }
            }
        }
        return cells;
    }

    private static boolean isShort(Sync sync, Failure failure) {
        return switch (failure) {
            case BROKER_KILLED -> false;
            case REDIS_KILLED -> sync == Sync.NO;
            case MACHINE_LOST -> true;
            case FAIL_OVER -> sync == Sync.EVERYSEC;
        };
    }

    @ParameterizedTest
    @MethodSource("cells")
    void whatCanBeLost(Sync sync, Failure failure) throws InterruptedException {
        master().command("CONFIG", "SET", "appendfsync", sync.name().toLowerCase(Locale.ROOT));
        Map<Acks, String> topics = new EnumMap<>(Acks.class);
        for (Acks acks : Acks.values()) {
            String copies = acks == Acks.ALL_WITH_TWO_COPIES ? "2" : "1";
            topics.put(acks, topic(1, Encoding.usual(), "min.insync.replicas", copies));
        }
        Map<Acks, NumberSender> senders = new EnumMap<>(Acks.class);
        topics.forEach((acks, topic) -> senders.put(acks, new NumberSender(producer(acks), topic, 1)));
        Moment safe = load(senders, sync, failure);
        strike(sync, failure, safe, senders);

        Map<Acks, List<Integer>> lost = new EnumMap<>(Acks.class);
        for (Acks acks : Acks.values()) {
            NumberSender sender = Objects.requireNonNull(senders.get(acks));
            sender.stop();
            lost.put(acks, sender.lost(consumer()));
        }
        lost.forEach((acks, numbers) ->
                System.out.println("durability: " + sync + " " + failure + " " + acks + ": lost " + numbers.size()
                        + " of " + Objects.requireNonNull(senders.get(acks)).acknowledged()));
        lost.remove(Acks.NONE);
        boolean cut = failure == Failure.MACHINE_LOST && sync != Sync.ALWAYS;
        lost.forEach((acks, numbers) -> {
            boolean mayLose = cut || (failure == Failure.FAIL_OVER && acks != Acks.ALL_WITH_TWO_COPIES);
            if (mayLose) {
                assertThat(numbers)
                        .as(acks + ": only what was told after the safe moment")
                        .isNotEmpty()
                        .allMatch(number ->
                                number > Objects.requireNonNull(safe.told().get(acks)));
            } else {
                assertThat(numbers).as(acks.name()).isEmpty();
            }
        });
    }

    @Test
    void aConsumerBeyondTheEndOfALogThatCameBackShorterIsToldEvenIfNobodyAppends() {
        String topic = topic(Encoding.usual());
        produce(topic, numbers(0, 5));
        long length = master().appendOnlyFileLength();
        produce(topic, numbers(5, 5));
        KafkaConsumer<byte[], byte[]> consumer = reader(topic, "auto.offset.reset", "none");
        assertThat(values(read(consumer, 10))).isEqualTo(numbers(0, 10));

        master().kill();
        master().truncateAppendOnlyFile(length);
        master().restart();
        await().atMost(PATIENCE).until(() -> {
            try {
                consumer.poll(Duration.ofMillis(200));
                return false;
            } catch (OffsetOutOfRangeException e) {
                return true;
            }
        });
        awaitReplica();
    }

    @Test
    void whatNoFileKeepsIsLostWithItsRedisAndAReplicaFollowsAMasterThatComesBackEmpty() {
        try (RedisServerProcess forgetful = RedisServerProcess.start();
                KorvetBroker over = KorvetBroker.with("korvet.redis.uri=" + forgetful.uri())) {
            over.start();
            assertEverythingIsLost(over, forgetful, "1");
            try (RedisServerProcess follower =
                    RedisServerProcess.start("--replicaof", "127.0.0.1", Integer.toString(forgetful.port()))) {
                await().atMost(PATIENCE)
                        .until(() -> forgetful.command("INFO", "replication").contains("state=online"));
                assertEverythingIsLost(over, forgetful, "2");
                await().atMost(PATIENCE)
                        .until(() -> follower.words("EXISTS", "korvet:topics").equals(List.of("0")));
            }
        }
    }

    /** Produces with {@code acks=all}, kills Redis and starts it again at once. */
    private void assertEverythingIsLost(KorvetBroker over, RedisServerProcess forgetful, String copies) {
        String topic = name("topic");
        Map<String, Object> config = config("bootstrap.servers", over.bootstrap(), "acks", "all");
        try (Admin admin = Admin.create(config);
                KafkaProducer<byte[], byte[]> producer =
                        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            result(admin.createTopics(
                            List.of(new NewTopic(topic, 1, (short) 1).configs(Map.of("min.insync.replicas", copies))))
                    .all());
            send(producer, record(topic, "acknowledged"));
            assertThat(result(admin.listTopics().names())).contains(topic);
            forgetful.kill();
            forgetful.restart();
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> !result(admin.listTopics().names()).contains(topic));
        }
    }

    private KafkaProducer<byte[], byte[]> producer(Acks acks) {
        return switch (acks) {
            case NONE, ONE ->
                producer(
                        "acks",
                        acks == Acks.NONE ? "0" : "1",
                        "enable.idempotence",
                        false,
                        "retries",
                        0,
                        "max.in.flight.requests.per.connection",
                        1);
            case ALL_WITH_ONE_COPY, ALL_WITH_TWO_COPIES -> producer("acks", "all", "delivery.timeout.ms", 120_000);
        };
    }

    /** Lets producers work for a while; answers the last moment up to which all is certainly safe in this failure. */
    private static Moment load(Map<Acks, NumberSender> senders, Sync sync, Failure failure) {
        await().atMost(PATIENCE).until(() -> senders.values().stream().allMatch(sender -> sender.acknowledged() > 200));
        Deque<Moment> moments = new ArrayDeque<>(List.of(moment(senders)));
        if (failure == Failure.FAIL_OVER) {
            // The replica has all that was told so far, and loses its master now.
            String position = offset(master(), "master_repl_offset");
            await().atMost(PATIENCE)
                    .until(() -> Long.parseLong(offset(replica(), "slave_repl_offset")) >= Long.parseLong(position));
            replica().command("REPLICAOF", "127.0.0.1", "1");
        }
        long spared = failure == Failure.MACHINE_LOST && sync == Sync.EVERYSEC ? SYNCED_AT_THE_LATEST.toNanos() : 0;
        long begun = System.nanoTime();
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
            moments.add(moment(senders));
            return System.nanoTime() - begun > spared + Duration.ofMillis(500).toNanos();
        });
        long now = System.nanoTime();
        if (failure == Failure.MACHINE_LOST && sync == Sync.EVERYSEC) {
            moments.removeIf(moment -> moment.nanos() > now - SYNCED_AT_THE_LATEST.toNanos());
            return moments.getLast();
        }
        // Without syncs nothing since the beginning need be there; with 'always' everything is.
        return failure == Failure.MACHINE_LOST && sync == Sync.ALWAYS ? moments.getLast() : moments.getFirst();
    }

    private static String offset(RedisServerProcess server, String field) {
        return server.words("INFO", "replication").stream()
                .filter(line -> line.startsWith(field + ":"))
                .findFirst()
                .orElseThrow()
                .substring(field.length() + 1);
    }

    private static Moment moment(Map<Acks, NumberSender> senders) {
        Map<Acks, Integer> told = new EnumMap<>(Acks.class);
        senders.forEach((acks, sender) -> told.put(acks, sender.newest()));
        return new Moment(System.nanoTime(), told, master().appendOnlyFileLength());
    }

    private static void strike(Sync sync, Failure failure, Moment safe, Map<Acks, NumberSender> senders) {
        switch (failure) {
            case BROKER_KILLED -> {
                Objects.requireNonNull(broker).kill();
                senders.values().forEach(NumberSender::end);
                Objects.requireNonNull(broker).start();
            }
            case REDIS_KILLED, MACHINE_LOST -> {
                master().kill();
                senders.values().forEach(NumberSender::end);
                if (failure == Failure.MACHINE_LOST && sync != Sync.ALWAYS) {
                    master().truncateAppendOnlyFile(safe.fileLength());
                }
                master().restart();
                awaitReplica();
            }
            case FAIL_OVER -> {
                master().kill();
                senders.values().forEach(NumberSender::end);
                replica().takePlaceOf(master());
                master().close();
                master = replica();
                attachReplica();
            }
        }
    }
}
