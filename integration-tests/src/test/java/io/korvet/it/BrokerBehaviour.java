package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.TestBroker;
import io.korvet.it.raw.RawConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** What a behaviour test has at hand: the broker under test, clients that are closed after the test, topics of its own. */
@Timeout(180)
abstract class BrokerBehaviour {
    /** How long anything may take that has no limit of its own. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final AtomicInteger SERIAL = new AtomicInteger();
    private static final String RUN =
            Integer.toString(ThreadLocalRandom.current().nextInt(1 << 30), 36);

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    @Nullable
    private Admin admin;

    /** The broker the test is about. */
    TestBroker broker() {
        return BrokerUnderTest.shared();
    }

    @AfterEach
    void closeClients() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
        admin = null;
    }

    /** Keeps something to be closed after the test, last opened first. */
    final <T extends AutoCloseable> T closing(T client) {
        open.push(client);
        return client;
    }

    /** A name nobody used before. */
    final String name(String what) {
        return "it-" + what + "-" + RUN + "-" + SERIAL.incrementAndGet();
    }

    // ---- clients

    final Map<String, Object> config(Object... keysAndValues) {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", broker().bootstrap());
        for (int i = 0; i < keysAndValues.length; i += 2) {
            config.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return config;
    }

    final Admin admin() {
        Admin present = admin;
        if (present == null) {
            Admin created = Admin.create(config("request.timeout.ms", 20_000, "default.api.timeout.ms", 30_000));
            open.push(() -> created.close(Duration.ofSeconds(5)));
            admin = created;
            return created;
        }
        return present;
    }

    final KafkaProducer<byte[], byte[]> producer(Object... keysAndValues) {
        Map<String, Object> config = config("max.block.ms", 20_000, "delivery.timeout.ms", 40_000);
        config.put("request.timeout.ms", 20_000);
        config.put("linger.ms", 0);
        config.putAll(pairs(keysAndValues));
        KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
        open.push(() -> producer.close(Duration.ofSeconds(5)));
        return producer;
    }

    final KafkaConsumer<byte[], byte[]> consumer(Object... keysAndValues) {
        Map<String, Object> config = config("auto.offset.reset", "earliest", "enable.auto.commit", false);
        config.put("allow.auto.create.topics", false);
        config.putAll(pairs(keysAndValues));
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        open.push(() -> consumer.close(CloseOptions.timeout(Duration.ofSeconds(5))));
        return consumer;
    }

    /** A consumer of partition 0 at its start, without a group. */
    final KafkaConsumer<byte[], byte[]> reader(String topic, Object... keysAndValues) {
        KafkaConsumer<byte[], byte[]> consumer = consumer(keysAndValues);
        consumer.assign(List.of(partition(topic)));
        consumer.seekToBeginning(List.of(partition(topic)));
        return consumer;
    }

    final RawConnection connection() {
        return closing(RawConnection.open(broker().bootstrap()));
    }

    private static Map<String, Object> pairs(Object... keysAndValues) {
        Map<String, Object> pairs = new HashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            pairs.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return pairs;
    }

    // ---- topics

    /** A new topic of one partition. */
    final String topic(Encoding encoding, String... config) {
        return topic(1, encoding, config);
    }

    /** A new topic, there for every client when this returns. */
    final String topic(int partitions, Encoding encoding, String... config) {
        String topic = name("topic");
        create(topic, partitions, encoding, config);
        return topic;
    }

    final void create(String topic, int partitions, Encoding encoding, String... config) {
        Map<String, String> all = new HashMap<>(encoding.config());
        for (int i = 0; i < config.length; i += 2) {
            all.put(config[i], config[i + 1]);
        }
        NewTopic request = new NewTopic(topic, Optional.of(partitions), Optional.empty()).configs(all);
        result(admin().createTopics(List.of(request)).all());
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> described(topic, partitions));
    }

    private boolean described(String topic, int partitions) {
        try {
            TopicDescription description = describe(topic);
            return description.partitions().size() == partitions
                    && description.partitions().stream().allMatch(partition -> partition.leader() != null);
        } catch (AssertionError e) {
            return false;
        }
    }

    final TopicDescription describe(String topic) {
        return Objects.requireNonNull(
                result(admin().describeTopics(List.of(topic)).allTopicNames()).get(topic));
    }

    final Uuid topicId(String topic) {
        return describe(topic).topicId();
    }

    static TopicPartition partition(String topic) {
        return new TopicPartition(topic, 0);
    }

    // ---- records

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(byte @Nullable [] bytes) {
        return bytes == null ? "(null)" : new String(bytes, StandardCharsets.UTF_8);
    }

    /** A record without key for partition 0. */
    static ProducerRecord<byte[], byte[]> record(String topic, String value) {
        return new ProducerRecord<>(topic, 0, null, bytes(value));
    }

    /** {@code from}, {@code from + 1} … as text, {@code count} of them. */
    static List<String> numbers(int from, int count) {
        return IntStream.range(from, from + count).mapToObj(Integer::toString).toList();
    }

    /** Produces values to partition 0, as far as they fit in one batch, and answers their offsets. */
    final List<Long> produce(String topic, List<String> values, Object... keysAndValues) {
        List<Object> config = new ArrayList<>(List.of("linger.ms", 5_000, "batch.size", 900_000));
        config.addAll(Arrays.asList(keysAndValues));
        KafkaProducer<byte[], byte[]> producer = producer(config.toArray());
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (String value : values) {
            sent.add(producer.send(record(topic, value)));
        }
        producer.flush();
        List<Long> offsets = new ArrayList<>();
        for (Future<RecordMetadata> each : sent) {
            offsets.add(result(each).offset());
        }
        return offsets;
    }

    /** Sends one record and waits for its answer. */
    static RecordMetadata send(KafkaProducer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> record) {
        return result(producer.send(record));
    }

    /** Polls until a number of records have come; fails when they don't. */
    static List<ConsumerRecord<byte[], byte[]>> read(Consumer<byte[], byte[]> consumer, int count) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (records.size() < count && System.nanoTime() < end) {
            consumer.poll(Duration.ofMillis(200)).forEach(records::add);
        }
        assertThat(records).as("records within " + PATIENCE).hasSizeGreaterThanOrEqualTo(count);
        return records;
    }

    /** All of a partition 0 that must hold so many records. */
    final List<ConsumerRecord<byte[], byte[]>> readAll(String topic, int count, Object... keysAndValues) {
        KafkaConsumer<byte[], byte[]> consumer = reader(topic, keysAndValues);
        List<ConsumerRecord<byte[], byte[]>> records = read(consumer, count);
        consumer.poll(Duration.ofMillis(200)).forEach(records::add);
        assertThat(records).hasSize(count);
        return records;
    }

    static List<String> values(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream().map(record -> text(record.value())).toList();
    }

    static List<Long> offsets(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream().map(ConsumerRecord::offset).toList();
    }

    /** What ListOffsets says of partition 0. */
    final long offset(String topic, OffsetSpec spec) {
        return result(admin().listOffsets(Map.of(partition(topic), spec)).partitionResult(partition(topic)))
                .offset();
    }

    // ---- waiting

    /** The result of a call that must succeed. */
    static <T> T result(Future<T> future) {
        try {
            return value(future);
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    @SuppressWarnings("NullAway") // null where T is Void
    private static <T> T value(Future<T> future) throws ExecutionException, InterruptedException, TimeoutException {
        return future.get(60, TimeUnit.SECONDS);
    }

    /** The failure of a call that must fail. */
    static Throwable failure(Future<?> future) {
        try {
            Object value = future.get(60, TimeUnit.SECONDS);
            throw new AssertionError("expected a failure, got " + value);
        } catch (ExecutionException e) {
            return Objects.requireNonNull(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    /** The failure of an admin call that must fail. */
    static Throwable failure(KafkaFuture<?> future) {
        return failure(future.toCompletionStage().toCompletableFuture());
    }

    /** The result of an admin call that must succeed. */
    static <T> T result(KafkaFuture<T> future) {
        return result(future.toCompletionStage().toCompletableFuture());
    }
}
