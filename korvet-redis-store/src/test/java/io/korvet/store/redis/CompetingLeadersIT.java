package io.korvet.store.redis;

import static io.korvet.store.Stages.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.AppendBatch;
import io.korvet.store.AppendResult;
import io.korvet.store.AppendResult.Stale;
import io.korvet.store.Batches;
import io.korvet.store.EntryLog;
import io.korvet.store.LogState;
import io.korvet.store.RecordingSink;
import io.korvet.store.Segment;
import io.korvet.store.StreamName;
import io.korvet.store.WriterUpdate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two leaders that both believe they are right append to one log, repeat what they think was lost, roll, and are
 * disturbed by a plain client: the log stays totally ordered, nothing is lost and nothing is there twice.
 */
class CompetingLeadersIT {

    private static final StreamName ORDERS = new StreamName("orders:0");
    private static final OffsetEncoding ENCODING = new TimeEncoding(4);
    private static final int STEPS = 1_500;
    private static final int WRITERS = 5;

    /** What one leader believes. */
    private static final class Leader {
        private @Nullable LogState state;
        private final Map<String, Integer> writers = new HashMap<>();
    }

    @ParameterizedTest
    @MethodSource("io.korvet.store.redis.SharedRedis#servers")
    void theLogStaysOneLog(SharedRedis redis) {
        long seed = Long.getLong("korvet.test.seed", System.nanoTime());
        System.out.println("CompetingLeadersIT: -Dkorvet.test.seed=" + seed);
        try (RedisStore store = redis.openStore()) {
            new Run(store, redis, new Random(seed)).run();
        }
    }

    private static final class Run {
        private final RedisStore store;
        private final EntryLog log;
        private final SharedRedis redis;
        private final Random random;
        private final Leader[] leaders = {new Leader(), new Leader()};
        private final int[] acknowledged = new int[WRITERS];
        private int foreign;

        Run(RedisStore store, SharedRedis redis, Random random) {
            this.store = store;
            this.log = store.entries();
            this.redis = redis;
            this.random = random;
        }

        void run() {
            await(log.create(ORDERS, "x"));
            for (int step = 0; step < STEPS; step++) {
                if (random.nextInt(50) == 0) {
                    writeAsAForeignClient();
                } else {
                    produce(leaders[random.nextInt(2)], random.nextInt(WRITERS));
                }
            }
            verify();
        }

        private void writeAsAForeignClient() {
            LogState state = Objects.requireNonNull(await(log.state(ORDERS)));
            StreamEntryId last = state.last();
            long next =
                    last == null ? 0 : ENCODING.offsetOf(last.milliseconds(), last.sequence()) + 1 + random.nextInt(5);
            String reply = redis.server()
                    .command(
                            "XADD",
                            segmentKey(state.open().number()),
                            ENCODING.idOf(Math.max(1, next)).toString(),
                            "value",
                            "foreign");
            if (!reply.startsWith("-")) {
                foreign++;
            }
        }

        private String segmentKey(long segment) {
            return store.keys().segment(ORDERS, segment);
        }

        /** Sends a writer's next batch until it is acknowledged, as a producer that repeats does. */
        private void produce(Leader leader, int writer) {
            int sequence = acknowledged[writer] + 1;
            if (sequence > 1 && random.nextInt(4) == 0) {
                sequence--; // its answer was lost, says the producer
            }
            for (int attempt = 0; attempt < 20; attempt++) {
                LogState state = leader.state == null ? Objects.requireNonNull(await(log.state(ORDERS))) : leader.state;
                String id = Integer.toString(writer);
                int believed = leader.writers.getOrDefault(id, 0);
                if (believed >= sequence) {
                    acknowledged[writer] = Math.max(acknowledged[writer], sequence);
                    return;
                }
                AppendResult result = await(log.append(proposal(state, id, believed, sequence)));
                if (result instanceof Stale stale) {
                    leader.state = stale.state();
                    stale.writers()
                            .forEach((name, stored) ->
                                    leader.writers.put(name, stored.isEmpty() ? 0 : Integer.parseInt(stored)));
                } else {
                    leader.writers.put(id, sequence);
                    leader.state = random.nextInt(3) == 0 ? null : await(log.state(ORDERS));
                    acknowledged[writer] = sequence;
                    return;
                }
            }
            throw new AssertionError("a leader never got through");
        }

        private AppendBatch proposal(LogState state, String writer, int believed, int sequence) {
            Batches batch = Batches.to(ORDERS, "x")
                    .after(state, ENCODING)
                    .writers(new WriterUpdate(
                            writer, believed == 0 ? "" : Integer.toString(believed), Integer.toString(sequence)));
            if (state.open().entries() > 40) {
                batch.rolling();
            }
            List<String> values = new ArrayList<>();
            for (int i = 0; i <= sequence % 7; i++) {
                values.add(writer + "/" + sequence + "/" + i);
            }
            return batch.values(log, values);
        }

        private void verify() {
            LogState state = Objects.requireNonNull(await(log.state(ORDERS)));
            RecordingSink sink = new RecordingSink();
            for (Segment segment : state.sealed()) {
                await(log.read(ORDERS, segment.number(), StreamEntryId.MINIMUM, 100_000, sink));
            }
            await(log.read(ORDERS, state.open().number(), StreamEntryId.MINIMUM, 100_000, sink));
            List<RecordingSink.Entry> entries = sink.entries();
            assertThat(state.sealed()).hasSizeGreaterThan(5);
            for (int i = 1; i < entries.size(); i++) {
                assertThat(entries.get(i).id()).isGreaterThan(entries.get(i - 1).id());
            }
            List<String> values =
                    entries.stream().map(RecordingSink.Entry::value).toList();
            assertThat(values.stream().filter("foreign"::equals)).hasSize(foreign);
            for (int writer = 0; writer < WRITERS; writer++) {
                List<String> expected = new ArrayList<>();
                for (int sequence = 1; sequence <= acknowledged[writer]; sequence++) {
                    for (int i = 0; i <= sequence % 7; i++) {
                        expected.add(writer + "/" + sequence + "/" + i);
                    }
                }
                String prefix = writer + "/";
                assertThat(values.stream()
                                .filter(value -> value.startsWith(prefix))
                                .toList())
                        .isEqualTo(expected);
            }
        }
    }
}
