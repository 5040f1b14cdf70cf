package io.korvet.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.korvet.offsets.DenseEncoding;
import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.TimeEncoding;
import io.korvet.server.log.Scenario.Fault;
import io.korvet.server.log.ScheduledEntryLog.Lane;
import io.korvet.store.Stages;
import io.korvet.store.Store;
import io.korvet.store.memory.InMemoryStore;
import io.korvet.store.redis.RedisServerProcess;
import io.korvet.store.redis.RedisStore;
import io.korvet.store.redis.RedisStoreOptions;
import io.netty.util.ResourceLeakDetector;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * The append protocol under interleavings (docs/safety.md): the brokers' own code, several of them leading at once, where
 * each call of the store, each answer, each fault is a step. Some scenarios are run through in every order of their first
 * steps, others at random and long. After each run: every acknowledged record once, at its offset; each producer's records in
 * order; offsets ascending; nobody read what isn't there or passed over what is.
 *
 * <p>{@code -Dkorvet.interleavings=N} runs N random ones, and all of a step more.
 */
class AppendInterleavingsIT {

    private static final int RANDOM = Integer.getInteger("korvet.interleavings", 200);
    private static final int DEEPER = RANDOM > 1_000 ? 1 : 0;
    private static final long SEED = Long.getLong("korvet.test.seed", System.nanoTime());
    private static final long NO_ROLL = 1 << 20;
    private static final OffsetEncoding TIME = new TimeEncoding(10);
    private static final OffsetEncoding DENSE = new DenseEncoding();

    private static @Nullable RedisServerProcess redis;
    private static @Nullable RedisStore store;
    private static final Logger QUEUE = (Logger) LoggerFactory.getLogger(AppendQueue.class);
    private static ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();

    @BeforeAll
    static void start() {
        // To remember where each buffer was used would take most of the time.
        level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
        QUEUE.setLevel(Level.ERROR);
        redis = RedisServerProcess.start();
        store = Stages.await(RedisStore.open(RedisStoreOptions.of(redis.uri())));
    }

    @AfterAll
    static void stop() {
        ResourceLeakDetector.setLevel(level);
        QUEUE.setLevel(null);
        Objects.requireNonNull(store).close();
        Objects.requireNonNull(redis).close();
    }

    /** Scenarios by name, each with the number of first steps of which all orders are run. */
    private record Bounded(Scenario scenario, int inMemory, int onRedis) {}

    private static final Map<String, Bounded> BOUNDED = new LinkedHashMap<>();

    static {
        BOUNDED.put(
                "two leaders, one producer",
                new Bounded(
                        new Scenario(
                                DENSE,
                                2,
                                1,
                                false,
                                3,
                                2,
                                0,
                                NO_ROLL,
                                EnumSet.of(Lane.APPENDS),
                                1,
                                EnumSet.of(Fault.GIVE_UP, Fault.LEADERSHIP)),
                        8,
                        5));
        BOUNDED.put(
                "answers are lost and calls come late",
                new Bounded(
                        new Scenario(
                                TIME,
                                2,
                                1,
                                false,
                                3,
                                2,
                                0,
                                NO_ROLL,
                                EnumSet.of(Lane.APPENDS),
                                2,
                                EnumSet.of(Fault.LOST_ANSWERS, Fault.GIVE_UP)),
                        7,
                        5));
        BOUNDED.put(
                "a producer that is new",
                new Bounded(
                        new Scenario(
                                DENSE,
                                2,
                                1,
                                true,
                                2,
                                2,
                                0,
                                NO_ROLL,
                                EnumSet.of(Lane.APPENDS),
                                2,
                                EnumSet.of(Fault.GIVE_UP, Fault.LOST_ANSWERS)),
                        6,
                        5));
        BOUNDED.put(
                "segments roll, are sealed, dropped and removed",
                new Bounded(
                        new Scenario(
                                DENSE,
                                2,
                                2,
                                false,
                                2,
                                2,
                                0,
                                60,
                                EnumSet.of(Lane.APPENDS),
                                2,
                                EnumSet.of(Fault.SEAL, Fault.DROP, Fault.REMOVE, Fault.TRUNCATE)),
                        4,
                        3));
        BOUNDED.put(
                "a reader at two leaders",
                new Bounded(
                        new Scenario(
                                DENSE,
                                2,
                                1,
                                false,
                                2,
                                1,
                                1,
                                60,
                                EnumSet.allOf(Lane.class),
                                1,
                                EnumSet.of(Fault.LEADERSHIP, Fault.REMOVE, Fault.DROP)),
                        6,
                        4));
    }

    static List<String> names() {
        return List.copyOf(BOUNDED.keySet());
    }

    @ParameterizedTest
    @MethodSource("names")
    void allOrdersOfTheFirstStepsInMemory(String name) {
        Bounded bounded = Objects.requireNonNull(BOUNDED.get(name));
        explore(name, bounded.scenario, bounded.inMemory + DEEPER, "memory");
    }

    @ParameterizedTest
    @MethodSource("names")
    void allOrdersOfTheFirstStepsOnRedis(String name) {
        Bounded bounded = Objects.requireNonNull(BOUNDED.get(name));
        explore(name, bounded.scenario, bounded.onRedis + DEEPER, "Redis");
    }

    private static void explore(String name, Scenario scenario, int depth, String where) {
        long started = System.nanoTime();
        Choices.All choices = new Choices.All(depth);
        int runs = 0;
        do {
            Store target = where.equals("Redis") ? Objects.requireNonNull(store) : new InMemoryStore();
            new SimulatedCluster(scenario, target, "e" + runs++).run(choices);
        } while (choices.advance());
        System.out.printf(
                "%s, in %s: all %,d orders of %d steps, %,d ms%n",
                name, where, runs, depth, (System.nanoTime() - started) / 1_000_000);
        assertThat(runs).isGreaterThan(100);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void longRunsAtRandomDoTheSameOnRedisAndInMemory(boolean dense) {
        System.out.println("AppendInterleavingsIT: -Dkorvet.test.seed=" + SEED);
        Random seeds = new Random(SEED + (dense ? 1 : 0));
        for (int i = 0; i < RANDOM / 2; i++) {
            long seed = seeds.nextLong();
            Random random = new Random(seed);
            Scenario scenario = new Scenario(
                    dense ? DENSE : TIME,
                    2 + random.nextInt(2),
                    1 + random.nextInt(3),
                    random.nextInt(4) == 0,
                    4,
                    1 + random.nextInt(5),
                    random.nextInt(3),
                    random.nextBoolean() ? 60 + random.nextInt(200) : NO_ROLL,
                    EnumSet.allOf(Lane.class),
                    random.nextInt(12),
                    EnumSet.allOf(Fault.class));
            int steps = 20 + random.nextInt(100);
            try {
                SimulatedCluster real = new SimulatedCluster(scenario, Objects.requireNonNull(store), "r" + i);
                real.run(Choices.random(seed, steps));
                SimulatedCluster model = new SimulatedCluster(scenario, new InMemoryStore(), "r" + i);
                model.run(Choices.random(seed, steps));
                assertThat(real.transcript()).isEqualTo(model.transcript());
            } catch (AssertionError e) {
                throw new AssertionError("run " + i + " of seed " + SEED + ": " + e.getMessage(), e);
            }
        }
    }

    @Test
    void aRunIsRepeatedByItsSeed() {
        Scenario scenario = Objects.requireNonNull(BOUNDED.get("a reader at two leaders")).scenario;
        SimulatedCluster first = new SimulatedCluster(scenario, new InMemoryStore(), "s");
        first.run(Choices.random(SEED, 60));
        SimulatedCluster second = new SimulatedCluster(scenario, new InMemoryStore(), "s");
        second.run(Choices.random(SEED, 60));
        assertThat(first.transcript()).isEqualTo(second.transcript());
    }
}
