package io.korvet.tiering.iceberg;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.Batches;
import io.korvet.store.EntryLog;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.Stages;
import io.korvet.store.StreamName;
import io.korvet.store.redis.KeySchema;
import io.korvet.store.redis.RedisServerProcess;
import io.korvet.store.redis.RedisStore;
import io.korvet.store.redis.RedisStoreOptions;
import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.ColdTier.Offload;
import io.korvet.tiering.OffloadProgress;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * Measures offloads by hand: {@code main <directory> <streams> <segments> <records per segment>}. Values of 100 bytes, half
 * of them random text. Prints records per second, CPU seconds of this process per million records, and where the time went.
 */
final class ArchiveThroughput {

    private static final OffsetEncoding ENCODING = new TimeEncoding(10);

    private ArchiveThroughput() {}

    /** Runs it. */
    public static void main(String[] arguments) {
        int streams = Integer.parseInt(arguments[1]);
        int segments = Integer.parseInt(arguments[2]);
        int records = Integer.parseInt(arguments[3]);
        ArchiveSettings settings =
                ArchiveSettings.at(Path.of(arguments[0]).toUri().toString());
        try (RedisServerProcess server = RedisServerProcess.start(
                        "--stream-node-max-bytes", "32768", "--stream-node-max-entries", "500");
                RedisStore store = Stages.await(RedisStore.open(RedisStoreOptions.of(server.uri())));
                IcebergColdTier tier = IcebergColdTier.open(settings, new KeySchema("korvet")::log, store.entries())) {
            Stages.await(tier.lead(System.nanoTime()));
            String run = Long.toString(System.nanoTime(), 36);
            List<List<ColdSegment>> all = new ArrayList<>();
            for (int stream = 0; stream < streams; stream++) {
                all.add(fill(store, new StreamName("run" + run + ":" + stream), segments, records));
            }
            for (int round = 0; round < segments; round++) {
                measure(tier, all, round, records);
            }
        }
    }

    private static List<ColdSegment> fill(RedisStore store, StreamName stream, int segments, int records) {
        EntryLog log = store.entries();
        Stages.await(log.create(stream, "first"));
        Random random = new Random(1);
        for (int segment = 0; segment < segments; segment++) {
            for (int left = records; left > 0; left -= 1_000) {
                List<String> values = new ArrayList<>();
                for (int index = 0; index < Math.min(1_000, left); index++) {
                    StringBuilder value = new StringBuilder("{\"customer\":\"").append(random.nextInt(100_000));
                    while (value.length() < 50) {
                        value.append('-');
                    }
                    while (value.length() < 100) {
                        value.append((char) ('0' + random.nextInt(64)));
                    }
                    values.add(value.toString());
                }
                Stages.await(log.append(Batches.to(stream, "first")
                        .after(state(log, stream), ENCODING)
                        .values(log, values)));
            }
            Stages.await(store.segments().seal(stream, "first", segment, Batches.NOW));
        }
        List<ColdSegment> sealed = new ArrayList<>();
        for (Segment segment : state(log, stream).sealed()) {
            sealed.add(new ColdSegment(stream, "first", segment));
        }
        return sealed;
    }

    private static LogState state(EntryLog log, StreamName stream) {
        return Objects.requireNonNull(Stages.await(log.state(stream)));
    }

    private static void measure(IcebergColdTier tier, List<List<ColdSegment>> all, int round, int records) {
        Map<OffloadProgress.Step, Long> spent = new EnumMap<>(OffloadProgress.Step.class);
        OffloadProgress progress = new OffloadProgress() {
            @Override
            public void spent(Step step, long nanoseconds) {
                synchronized (spent) {
                    spent.merge(step, nanoseconds, Long::sum);
                }
            }
        };
        long cpu = cpu();
        long begin = System.nanoTime();
        List<CompletableFuture<Offload>> offloads = new ArrayList<>();
        for (List<ColdSegment> stream : all) {
            offloads.add(tier.offload(stream.get(round), progress).toCompletableFuture());
        }
        offloads.forEach(Stages::await);
        double seconds = (System.nanoTime() - begin) / 1e9;
        double millions = records * (double) all.size() / 1e6;
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        StringBuilder steps = new StringBuilder();
        spent.forEach(
                (step, nanoseconds) -> steps.append(String.format(Locale.ROOT, " %s %.2f s", step, nanoseconds / 1e9)));
        System.out.printf(
                Locale.ROOT,
                "%d streams: %,.0f records/s, %.2f CPU s per million, heap %d MiB,%s%n",
                all.size(),
                millions * 1e6 / seconds,
                (cpu() - cpu) / 1e9 / millions,
                heap.getUsed() >> 20,
                steps);
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
