package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.Contender;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/** A topic of one run: made, awaited, and removed when closed. */
final class TestTopic implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final Admin admin;
    private final String name;
    private final int partitions;

    private TestTopic(Admin admin, String name, int partitions) {
        this.admin = admin;
        this.name = name;
        this.partitions = partitions;
    }

    /** Makes a topic with a new name and writes one record to each partition as soon as it takes it. */
    static TestTopic create(Contender contender, int partitions)
            throws BenchmarkException, IOException, ExecutionException, InterruptedException {
        Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, contender.bootstrap()));
        TestTopic topic = new TestTopic(admin, "benchmark-" + NUMBER.incrementAndGet(), partitions);
        try {
            topic.make(contender);
            return topic;
        } catch (BenchmarkException
                | IOException
                | ExecutionException
                | InterruptedException
                | KafkaException failure) {
            admin.close(Duration.ofSeconds(1));
            throw failure;
        }
    }

    private void make(Contender contender)
            throws BenchmarkException, IOException, ExecutionException, InterruptedException {
        admin.createTopics(List.of(new NewTopic(name, Optional.of(partitions), Optional.empty())))
                .all()
                .get();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (TopicPartition partition : partitions()) {
            while (!accepts(contender, partition)) {
                if (System.nanoTime() > deadline) {
                    throw new BenchmarkException(partition + " takes no records after " + PATIENCE);
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    /** Whether one record can be appended: metadata may tell of a leader that is not ready yet. */
    private static boolean accepts(Contender contender, TopicPartition partition) throws IOException {
        try (PreparedConnection connection = new PreparedConnection(contender)) {
            connection.send(List.of(partition), Clients.value(1), 1, 1, PATIENCE);
            return true;
        } catch (BenchmarkException refused) {
            return false;
        }
    }

    /** Changes some of its settings. */
    void configure(Map<String, String> settings) throws ExecutionException, InterruptedException {
        List<AlterConfigOp> changes = settings.entrySet().stream()
                .map(entry ->
                        new AlterConfigOp(new ConfigEntry(entry.getKey(), entry.getValue()), AlterConfigOp.OpType.SET))
                .toList();
        admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, name), changes))
                .all()
                .get();
    }

    /** Waits until all its records are in the archive. */
    void awaitArchived(Duration atMost) throws BenchmarkException, ExecutionException, InterruptedException {
        Map<TopicPartition, Long> ends = offsets(OffsetSpec.latest());
        await("in the archive", OffsetSpec.latestTiered(), ends, atMost);
    }

    /** Waits until all its records are in the archive and none of them in Redis. */
    void awaitOnlyArchived(Duration atMost) throws BenchmarkException, ExecutionException, InterruptedException {
        Map<TopicPartition, Long> ends = offsets(OffsetSpec.latest());
        await("gone from Redis", OffsetSpec.earliestLocal(), ends, atMost);
    }

    private void await(String what, OffsetSpec spec, Map<TopicPartition, Long> ends, Duration atMost)
            throws BenchmarkException, ExecutionException, InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        // The newest tiered offset is the last record's, one below the end.
        while (offsets(spec).entrySet().stream()
                .anyMatch(entry -> entry.getValue() < ends.getOrDefault(entry.getKey(), 0L) - 1)) {
            if (System.nanoTime() > deadline) {
                throw new BenchmarkException(name + " is not " + what + " after " + atMost);
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /** What ListOffsets says of the partitions. */
    Map<TopicPartition, Long> offsets(OffsetSpec spec) throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> wanted =
                partitions().stream().collect(Collectors.toMap(Function.identity(), partition -> spec));
        return admin.listOffsets(wanted).all().get().entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().offset()));
    }

    String name() {
        return name;
    }

    List<TopicPartition> partitions() {
        return IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(name, partition))
                .toList();
    }

    @Override
    public void close() {
        try {
            admin.deleteTopics(List.of(name)).all().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failure) {
            throw new IllegalStateException(name + " could not be deleted", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            admin.close(Duration.ofSeconds(1));
        }
    }
}
