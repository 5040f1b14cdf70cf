package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.AppendResult;
import io.korvet.store.Batches;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.store.Stages;
import io.korvet.store.StreamName;
import io.korvet.store.redis.KeySchema;
import io.korvet.store.redis.RedisServerProcess;
import io.korvet.store.redis.RedisStore;
import io.korvet.store.redis.RedisStoreOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes with a storage worker are ended by {@code kill -9} a random while after they began to act; {@code
 * -Dkorvet.tiering.kills=500} for many. Whenever one is dead, nothing is missing that left Redis.
 */
class KilledProcessIT {

    private static final StreamName ORDERS = new StreamName("orders:0");
    private static final OffsetEncoding ENCODING = new TimeEncoding(10);
    private static final String KEY = new KeySchema("korvet").log(ORDERS);

    @TempDir
    Path root;

    private final List<String> produced = new ArrayList<>();

    @Test
    @Timeout(3600)
    void everyRecordIsInTheArchiveExactlyOnceWhenProcessesAreKilled() throws Exception {
        int rounds = Integer.getInteger("korvet.tiering.kills", 24);
        long seed = Long.getLong("korvet.tiering.seed", System.nanoTime());
        System.out.println("killed processes: " + rounds + ", -Dkorvet.tiering.seed=" + seed);
        Random random = new Random(seed);
        try (RedisServerProcess server = RedisServerProcess.start();
                RedisStore store = Stages.await(RedisStore.open(RedisStoreOptions.of(server.uri())));
                ArchiveAudit audit =
                        new ArchiveAudit(ArchiveSettings.at(root.toUri().toString()))) {
            Stages.await(store.entries().create(ORDERS, "first"));
            for (int round = 0; round < rounds; round++) {
                append(store, 1 + random.nextInt(500));
                Process process = start(server);
                try (BufferedReader said = process.inputReader()) {
                    assertThat(said.readLine()).as("a process that acts").isNotNull();
                    for (int more = random.nextInt(4); more > 0; more--) {
                        append(store, 1 + random.nextInt(500));
                        waitFor(process, random.nextInt(60));
                    }
                    process.destroyForcibly();
                    process.waitFor();
                }
                audit.checkNothingIsMissing(KEY, state(store), ENCODING);
            }
            Process last = start(server);
            try {
                await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                    LogState state = state(store);
                    assertThat(state.entries()).isZero();
                    assertThat(state.sealed()).extracting(Segment::state).containsOnly(SegmentState.DROPPED);
                });
            } finally {
                last.destroyForcibly();
                last.waitFor();
            }
            audit.checkNothingIsMissing(KEY, state(store), ENCODING);
            assertThat(audit.ids(KEY)).containsExactlyInAnyOrderElementsOf(produced);
        }
    }

    private static void waitFor(Process process, int milliseconds) throws InterruptedException {
        assertThat(process.waitFor(milliseconds, TimeUnit.MILLISECONDS))
                .as("the process ended by itself")
                .isFalse();
    }

    private Process start(RedisServerProcess server) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path"),
                        WorkerProcess.class.getName(),
                        server.uri(),
                        root.toUri().toString(),
                        ORDERS.value())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private void append(RedisStore store, int count) {
        List<String> values = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            values.add("value " + index);
        }
        AppendResult result = null;
        // The worker may seal the segment between the look and the append; then it is proposed again.
        while (!(result instanceof AppendResult.Appended)) {
            result = Stages.await(store.entries()
                    .append(Batches.to(ORDERS, "first")
                            .after(state(store), ENCODING)
                            .values(store.entries(), values)));
        }
        StreamEntryId last = ((AppendResult.Appended) result).last();
        for (int index = count - 1; index >= 0; index--) {
            produced.add(ENCODING.idOf(ENCODING.offsetOf(last) - index).toString());
        }
    }

    private static LogState state(RedisStore store) {
        return Objects.requireNonNull(Stages.await(store.entries().state(ORDERS)));
    }
}
