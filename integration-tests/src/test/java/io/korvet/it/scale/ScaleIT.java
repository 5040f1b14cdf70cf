package io.korvet.it.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.raw.RawConnection;
import io.korvet.it.raw.RawMember;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many partitions and groups over several broker processes and one Redis, and what they cost. The figures are printed and
 * appended to {@code target/it/scale/figures.txt}; docs/scaling.md says what they mean. Short by default; with
 * {@code -Dkorvet.scale=full} 10,000 partitions and 1,000 groups over five brokers, in two steps.
 */
@Timeout(1_200)
class ScaleIT {
    private static final boolean FULL = "full".equals(System.getProperty("korvet.scale"));
    private static final int BROKERS = FULL ? 5 : 3;
    private static final List<Size> SIZES = FULL
            ? List.of(new Size(10, 100, 100, 10), new Size(100, 100, 1_000, 10))
            : List.of(new Size(10, 50, 50, 2));
    private static final int REQUESTS = FULL ? 200 : 20;
    private static final int SINGLE_TOPICS = FULL ? 20 : 5;
    private static final int SESSION_MILLISECONDS = 1_200_000;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final List<RawMember> members = new ArrayList<>();

    @Test
    void partitionsAndGroupsAreServedByAllBrokersAndOutliveOne() throws Exception {
        try (ScaleCluster cluster = new ScaleCluster(SIZES.get(0).seconds())) {
            cluster.grow();
            idle(cluster, SIZES.get(0).seconds(), "empty, 1 broker");
            while (cluster.brokers().size() < BROKERS) {
                cluster.grow();
            }
            idle(cluster, SIZES.get(0).seconds(), "empty, " + BROKERS + " brokers");
            Size before = new Size(0, 0, 0, 0);
            for (Size size : SIZES) {
                measure(cluster, before, size);
                before = size;
            }
        } finally {
            members.forEach(RawMember::close);
        }
    }

    private void measure(ScaleCluster cluster, Size before, Size size) throws Exception {
        try (Admin admin = Admin.create(Map.of(
                        "bootstrap.servers", cluster.bootstrap(),
                        "request.timeout.ms", 60_000,
                        "default.api.timeout.ms", 120_000));
                KafkaProducer<byte[], byte[]> producer = cluster.producer()) {
            Figures.note(String.format(
                    "== %,d partitions, %,d groups, %d brokers%n", size.allPartitions(), size.groups(), BROKERS));
            topics(cluster, admin, before, size);
            records(cluster, producer, before, size);
            groups(cluster, admin, before, size);
            metadata(cluster, size, "warm");
            idle(cluster, size.seconds(), size.allPartitions() + " partitions");
            tick(cluster, size);
            tail(cluster, producer, size);
            scrape(cluster);
            listings(admin, size);
            kill(cluster, producer, size);
        }
    }

    private void topics(ScaleCluster cluster, Admin admin, Size before, Size size) throws Exception {
        long[] heap = heaps(cluster);
        Calls calls = Calls.of(cluster.redis());
        long begin = System.nanoTime();
        get(admin.createTopics(IntStream.range(before.topics(), size.topics())
                        .mapToObj(number -> new NewTopic(topic(number), size.partitions(), (short) 1))
                        .toList())
                .all());
        Figures.note(String.format(
                "create %d topics: %.0f ms%n", size.topics() - before.topics(), Figures.milliseconds(begin)));
        for (int broker = 0; broker < BROKERS; broker++) {
            int asked = broker;
            await().atMost(PATIENCE)
                    .until(() -> cluster.metadata(asked).topics().size() == size.topics());
        }
        Calls made = Calls.of(cluster.redis()).since(calls);
        Figures.note(String.format(
                "Redis memory of an empty partition: %.0f bytes%n",
                made.memoryBytes() / (double) (size.allPartitions() - before.allPartitions())));
        begin = System.nanoTime();
        for (int number = 0; number < SINGLE_TOPICS; number++) {
            get(admin.createTopics(List.of(new NewTopic("single-" + number, 1, (short) 1)))
                    .all());
        }
        Figures.note(String.format(
                "create one topic after the other: %.1f ms each%n", Figures.milliseconds(begin) / SINGLE_TOPICS));
        get(admin.deleteTopics(IntStream.range(0, SINGLE_TOPICS)
                        .mapToObj(number -> "single-" + number)
                        .toList())
                .all());
        perPartition("heap of a partition known and not used", heap, heaps(cluster), before, size, 1);
    }

    private void records(ScaleCluster cluster, KafkaProducer<byte[], byte[]> producer, Size before, Size size) {
        long[] heap = heaps(cluster);
        Figures.note(String.format("a record to each partition: %.0f ms%n", appendEverywhere(producer, size)));
        long[] after = heaps(cluster);
        perPartition("heap of a partition led after a record", heap, after, before, size, BROKERS);
        Figures.note(String.format(
                "live heap by broker: %s MB%n",
                Arrays.toString(Arrays.stream(after).map(bytes -> bytes >> 20).toArray())));
    }

    /** A record with acknowledgement to every partition; how long it takes in all. */
    private static double appendEverywhere(KafkaProducer<byte[], byte[]> producer, Size size) {
        AtomicInteger acknowledged = new AtomicInteger();
        long begin = System.nanoTime();
        for (int number = 0; number < size.topics(); number++) {
            for (int partition = 0; partition < size.partitions(); partition++) {
                var unused = producer.send(
                        new ProducerRecord<>(topic(number), partition, null, new byte[100]), (metadata, failure) -> {
                            if (failure == null) {
                                acknowledged.incrementAndGet();
                            }
                        });
            }
        }
        producer.flush();
        assertThat(acknowledged).hasValue(size.allPartitions());
        return Figures.milliseconds(begin);
    }

    private void groups(ScaleCluster cluster, Admin admin, Size before, Size size) throws Exception {
        List<KafkaFuture<Void>> commits = new ArrayList<>();
        long begin = System.nanoTime();
        for (int number = before.groups(); number < size.groups(); number++) {
            Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
            for (int partition = 0; partition < size.partitions(); partition++) {
                positions.put(new TopicPartition(topic(number % size.topics()), partition), new OffsetAndMetadata(0));
            }
            commits.add(
                    admin.alterConsumerGroupOffsets(group(number), positions).all());
        }
        for (KafkaFuture<Void> commit : commits) {
            get(commit);
        }
        Figures.note(String.format(
                "commits of %d groups, %d positions each: %.0f ms%n",
                commits.size(), size.partitions(), Figures.milliseconds(begin)));
        begin = System.nanoTime();
        List<String> names = IntStream.range(before.groups(), size.groups())
                .mapToObj(ScaleIT::group)
                .toList();
        cluster.coordinators(names).forEach((name, broker) -> {
            RawMember member = new RawMember(cluster.broker(broker).bootstrap(), name, topic(0), SESSION_MILLISECONDS);
            members.add(member);
            assertThat(member.join()).isEqualTo(Errors.NONE);
            assertThat(member.sync()).isEqualTo(Errors.NONE);
        });
        Figures.note(String.format(
                "%d members joined, one after the other: %.0f ms%n", names.size(), Figures.milliseconds(begin)));
    }

    private void metadata(ScaleCluster cluster, Size size, String temperature) {
        double[] times = new double[REQUESTS];
        try (RawConnection connection = RawConnection.open(cluster.broker(1).bootstrap())) {
            int bytes = 0;
            for (int request = 0; request < REQUESTS; request++) {
                long begin = System.nanoTime();
                bytes = ScaleCluster.metadataBytes(connection);
                times[request] = Figures.milliseconds(begin);
            }
            double first = times[0];
            Arrays.sort(times);
            Figures.note(String.format(
                    "Metadata of all, %s: %,d bytes, first %.1f ms, p50 %.2f ms, p99 %.2f ms%n",
                    temperature, bytes, first, times[REQUESTS / 2], times[REQUESTS - 1 - REQUESTS / 100]));
            assertThat(bytes).isGreaterThan(size.allPartitions() * 20);
        }
    }

    /** Watches for as long as a tick takes to come again, so that one tick of the worker is in it. */
    private void idle(ScaleCluster cluster, int seconds, String what) {
        double[] before = cluster.processors();
        Calls calls = Calls.of(cluster.redis());
        long begin = System.nanoTime();
        await().pollDelay(Duration.ofSeconds(seconds)).atMost(PATIENCE).until(() -> true);
        Calls made = Calls.of(cluster.redis()).since(calls);
        double[] after = cluster.processors();
        double took = Figures.milliseconds(begin) / 1_000;
        Figures.note(String.format(
                "idle, %s: Redis %.1f calls/s (%s), processor: Redis %.1f %%, brokers %s %%%n",
                what,
                made.total() / took,
                made.rates(took),
                100 * made.processorSeconds() / took,
                Figures.percent(before, after, took)));
    }

    private void tick(ScaleCluster cluster, Size size) {
        double[] before = cluster.walks();
        double[] after = await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .until(cluster::walks, walks -> walks[0] > before[0]);
        Figures.note(String.format(
                "a walk of the storage worker over %,d logs: %.0f ms%n",
                size.allPartitions(), (after[1] - before[1]) / (after[0] - before[0]) * 1_000));
    }

    /** One consumer of everything at the ends of the logs: what waiting costs, and how fast a record comes. */
    private void tail(ScaleCluster cluster, KafkaProducer<byte[], byte[]> producer, Size size) throws Exception {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", cluster.bootstrap(), "enable.auto.commit", false),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> all = new ArrayList<>();
            for (int number = 0; number < size.topics(); number++) {
                for (int partition = 0; partition < size.partitions(); partition++) {
                    all.add(new TopicPartition(topic(number), partition));
                }
            }
            long begin = System.nanoTime();
            consumer.assign(all);
            consumer.seekToEnd(all);
            all.forEach(consumer::position);
            Figures.note(String.format(
                    "a consumer finds the ends of all partitions: %.0f ms%n", Figures.milliseconds(begin)));
            double[] processors = cluster.processors();
            Calls calls = Calls.of(cluster.redis());
            begin = System.nanoTime();
            while (Figures.milliseconds(begin) < 500.0 * size.seconds()) {
                consumer.poll(Duration.ofMillis(200));
            }
            double took = Figures.milliseconds(begin) / 1_000;
            Calls made = Calls.of(cluster.redis()).since(calls);
            Figures.note(String.format(
                    "a consumer of all, nothing to read: Redis %.0f calls/s (%s), processor: Redis %.1f %%, brokers %s %%%n",
                    made.total() / took,
                    made.rates(took),
                    100 * made.processorSeconds() / took,
                    Figures.percent(processors, cluster.processors(), took)));
            double[] times = new double[REQUESTS];
            for (int request = 0; request < REQUESTS; request++) {
                TopicPartition to = all.get(request * 37 % all.size());
                begin = System.nanoTime();
                var sent = producer.send(new ProducerRecord<>(to.topic(), to.partition(), null, new byte[100]));
                while (consumer.poll(Duration.ofMillis(200)).isEmpty()) {
                    assertThat(Figures.milliseconds(begin)).isLessThan((double) PATIENCE.toMillis());
                }
                times[request] = Figures.milliseconds(begin);
                sent.get(30, TimeUnit.SECONDS);
            }
            Arrays.sort(times);
            Figures.note(String.format(
                    "a record to that consumer: p50 %.1f ms, p99 %.1f ms%n",
                    times[REQUESTS / 2], times[REQUESTS - 1 - REQUESTS / 100]));
        }
    }

    private void scrape(ScaleCluster cluster) {
        cluster.broker(1).page("/actuator/prometheus");
        long begin = System.nanoTime();
        int length = cluster.broker(1).page("/actuator/prometheus").length();
        Figures.note(String.format("metrics page: %,d bytes in %.0f ms%n", length, Figures.milliseconds(begin)));
    }

    private void listings(Admin admin, Size size) throws Exception {
        long begin = System.nanoTime();
        assertThat(get(admin.listGroups().all())).hasSize(size.groups());
        Figures.note(String.format("ListGroups: %.0f ms%n", Figures.milliseconds(begin)));
        List<String> names =
                IntStream.range(0, size.groups()).mapToObj(ScaleIT::group).toList();
        begin = System.nanoTime();
        assertThat(get(admin.describeConsumerGroups(names).all()).values())
                .hasSize(size.groups())
                .allSatisfy(group -> assertThat(group.members()).hasSizeLessThanOrEqualTo(1));
        Figures.note(String.format("describe all groups: %.0f ms%n", Figures.milliseconds(begin)));
    }

    private void kill(ScaleCluster cluster, KafkaProducer<byte[], byte[]> producer, Size size) throws Exception {
        int victim = BROKERS - 1;
        List<RawConnection> others = cluster.brokers().subList(0, victim).stream()
                .map(broker -> RawConnection.open(broker.bootstrap()))
                .toList();
        long begin = System.nanoTime();
        cluster.broker(victim).kill();
        double[] first = new double[1];
        List<RawConnection> late = new ArrayList<>(others);
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).until(() -> {
            boolean some = late.removeIf(
                    other -> ScaleCluster.liveBrokers(other).brokers().size() == victim);
            if (some && first[0] == 0) {
                first[0] = Figures.milliseconds(begin);
            }
            return late.isEmpty();
        });
        double last = Figures.milliseconds(begin);
        for (RawConnection other : others) {
            MetadataResponseData metadata = ScaleCluster.metadata(other);
            assertThat(ScaleCluster.led(metadata)).doesNotContainKey(victim);
            assertThat(ScaleCluster.led(metadata).values().stream()
                            .mapToInt(led -> led)
                            .sum())
                    .isEqualTo(size.allPartitions());
            other.close();
        }
        Figures.note(String.format(
                "killed broker: the first other knows after %.0f ms, the last %.0f ms later%n",
                first[0], last - first[0]));
        Figures.note(String.format("then a record to each partition: %.0f ms%n", appendEverywhere(producer, size)));
        long started = System.nanoTime();
        cluster.broker(victim).start();
        double ready = Figures.milliseconds(started);
        try (RawConnection connection =
                RawConnection.open(cluster.broker(victim).bootstrap())) {
            long asked = System.nanoTime();
            MetadataResponseData cold = ScaleCluster.metadata(connection);
            double answered = Figures.milliseconds(asked);
            assertThat(ScaleCluster.led(cold).values().stream()
                            .mapToInt(led -> led)
                            .sum())
                    .isEqualTo(size.allPartitions());
            assertThat(ScaleCluster.led(cold)).hasSize(BROKERS);
            Figures.note(String.format(
                    "a broker that starts is ready after %.0f ms, its first Metadata takes %.0f ms%n",
                    ready, answered));
        }
        for (int broker = 0; broker < BROKERS; broker++) {
            int asked = broker;
            await().atMost(PATIENCE)
                    .until(() -> cluster.metadata(asked).brokers().size() == BROKERS);
        }
        Figures.note(String.format("then a record to each partition: %.0f ms%n", appendEverywhere(producer, size)));
    }

    private static void perPartition(String what, long[] before, long[] after, Size from, Size to, int sharedBy) {
        double grown = Arrays.stream(after).sum() - Arrays.stream(before).sum();
        double partitions = (double) (to.allPartitions() - from.allPartitions()) * before.length;
        Figures.note(String.format("%s: %.0f bytes%n", what, grown / partitions * sharedBy));
    }

    /** Live bytes of each broker; of one alone in the short form, since each look starts a JVM. */
    private static long[] heaps(ScaleCluster cluster) {
        List<String> histograms = cluster.brokers().subList(0, FULL ? BROKERS : 1).stream()
                .map(BrokerProcess::histogram)
                .toList();
        Figures.append(String.format("largest classes of broker 0%n%s%n", BrokerProcess.largest(histograms.get(0))));
        return histograms.stream().mapToLong(BrokerProcess::bytes).toArray();
    }

    private static String topic(int number) {
        return "scale-" + number;
    }

    private static String group(int number) {
        return "group-" + number;
    }

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
}
