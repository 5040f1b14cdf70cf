package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.Contender;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

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

    /** Makes a topic with a new name and waits until every partition has a leader. */
    static TestTopic create(Contender contender, int partitions)
            throws BenchmarkException, ExecutionException, InterruptedException {
        Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, contender.bootstrap()));
        TestTopic topic = new TestTopic(admin, "benchmark-" + NUMBER.incrementAndGet(), partitions);
        try {
            topic.make();
            return topic;
        } catch (BenchmarkException | ExecutionException | InterruptedException | KafkaException failure) {
            admin.close(Duration.ofSeconds(1));
            throw failure;
        }
    }

    private void make() throws BenchmarkException, ExecutionException, InterruptedException {
        admin.createTopics(List.of(new NewTopic(name, Optional.of(partitions), Optional.empty())))
                .all()
                .get();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!hasLeaders()) {
            if (System.nanoTime() > deadline) {
                throw new BenchmarkException(name + " has no leaders after " + PATIENCE);
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private boolean hasLeaders() throws ExecutionException, InterruptedException {
        try {
            return admin.describeTopics(List.of(name)).allTopicNames().get().values().stream()
                            .flatMap(topic -> topic.partitions().stream())
                            .filter(partition -> partition.leader() != null)
                            .count()
                    == partitions;
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof UnknownTopicOrPartitionException) {
                return false;
            }
            throw failure;
        }
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
