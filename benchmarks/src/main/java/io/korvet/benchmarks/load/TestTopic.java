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
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

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
