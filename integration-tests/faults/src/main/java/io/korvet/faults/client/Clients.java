package io.korvet.faults.client;

import io.korvet.faults.history.Event;
import io.korvet.faults.history.Event.Settled;
import io.korvet.faults.history.HistoryWriter;
import io.korvet.faults.machine.Waiting;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * The process of all clients. Reads commands from its standard input: {@code mark NAME}, {@code missing}, {@code stop}; says {@code ready},
 * {@code passed NAME KIND MILLISECONDS}, {@code missing …}, {@code counts …}, {@code stopped}.
 */
public final class Clients {
    private static final int READERS = 2;
    private static final int MEMBERS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Settings settings;
    private final Progress progress = new Progress();
    private final Tally tally = new Tally();

    private Clients(Settings settings) {
        this.settings = settings;
    }

    /** Arguments: bootstrap servers, folder, seed, records per second and producer, request timeout in milliseconds. */
    public static void main(String[] arguments) throws IOException {
        Settings settings = new Settings(
                arguments[0],
                Path.of(arguments[1]),
                Long.parseLong(arguments[2]),
                Integer.parseInt(arguments[3]),
                Integer.parseInt(arguments[4]));
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1, task -> {
            Thread thread = new Thread(task, "report");
            thread.setDaemon(true);
            return thread;
        });
        new Clients(settings).run(timer);
        timer.shutdownNow();
        Output.line("stopped");
    }

    private void run(ScheduledExecutorService timer) throws IOException {
        try (Admin admin = Admin.create(settings.admin())) {
            Topics.create(admin);
            List<ProducerClient> producers = IntStream.range(0, Settings.producers())
                    .mapToObj(index -> new ProducerClient(index, settings, progress, tally))
                    .toList();
            List<ReaderClient> readers = IntStream.range(0, READERS)
                    .mapToObj(index -> new ReaderClient(index, index > 0, settings, progress, tally))
                    .toList();
            progress.add(Progress.Kind.COMMIT, 0);
            List<MemberClient> members = IntStream.range(0, MEMBERS)
                    .mapToObj(index -> new MemberClient(index, settings, progress, tally))
                    .toList();
            readers.forEach(Thread::start);
            members.forEach(Thread::start);
            producers.forEach(Thread::start);
            every(timer, 20, progress::report);
            every(timer, 1_000, () -> Output.line("counts " + tally));
            Output.line("ready");
            obey();
            producers.forEach(ProducerClient::end);
            producers.forEach(Clients::join);
            Map<TopicPartition, Long> ends = ends();
            readers.forEach(reader -> reader.endAt(ends, PATIENCE));
            readers.forEach(Clients::join);
            settle(admin, ends);
            members.forEach(MemberClient::end);
            members.forEach(Clients::join);
            readLog(ends);
        }
    }

    private static void every(ScheduledExecutorService timer, int milliseconds, Runnable task) {
        var unused = timer.scheduleAtFixedRate(task, milliseconds, milliseconds, TimeUnit.MILLISECONDS);
    }

    private void obey() throws IOException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String command = commands.readLine();
        while (command != null && !command.equals("stop")) {
            if (command.startsWith("mark ")) {
                progress.mark(command.substring(5));
            } else if (command.equals("missing")) {
                progress.reportMissing();
                Output.line("told");
            }
            command = commands.readLine();
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join(2 * PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private Map<TopicPartition, Long> ends() {
        try (KafkaConsumer<byte[], byte[]> consumer = settings.reader()) {
            return again(() -> consumer.endOffsets(Topics.ALL));
        }
    }

    private static <T> T again(Supplier<T> question) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return question.get();
            } catch (KafkaException e) {
                if (System.nanoTime() > end) {
                    throw e;
                }
            }
        }
    }

    /** Waits until the group has committed everything, and keeps where it stands. */
    private void settle(Admin admin, Map<TopicPartition, Long> ends) {
        boolean unused = Waiting.until(PATIENCE, () -> {
            Map<TopicPartition, Long> committed = committed(admin);
            return ends.entrySet().stream().allMatch(end -> committed.getOrDefault(end.getKey(), 0L) >= end.getValue());
        });
        Map<TopicPartition, Long> committed = committed(admin);
        try (HistoryWriter history = new HistoryWriter(settings.folder().resolve("settled.history"))) {
            ends.forEach((partition, end) -> history.add(
                    new Settled(Event.now(), partition.toString(), committed.getOrDefault(partition, 0L), end)));
        }
    }

    private static Map<TopicPartition, Long> committed(Admin admin) {
        try {
            Map<TopicPartition, OffsetAndMetadata> all = admin.listConsumerGroupOffsets(Settings.GROUP)
                    .partitionsToOffsetAndMetadata()
                    .get();
            Map<TopicPartition, Long> offsets = new HashMap<>();
            all.forEach((partition, offset) -> offsets.put(partition, offset == null ? 0 : offset.offset()));
            return offsets;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            return Map.of();
        }
    }

    /** Reads every partition from its beginning, with a consumer that knows nothing. */
    private void readLog(Map<TopicPartition, Long> ends) {
        try (HistoryWriter history = new HistoryWriter(settings.folder().resolve("log.history"));
                KafkaConsumer<byte[], byte[]> consumer = settings.reader()) {
            consumer.assign(Topics.ALL);
            consumer.seekToBeginning(Topics.ALL);
            long limit = System.nanoTime() + PATIENCE.toNanos();
            while (!ends.entrySet().stream()
                    .allMatch(end -> again(() -> consumer.position(end.getKey())) >= end.getValue())) {
                if (System.nanoTime() > limit) {
                    throw new UncheckedIOException(new IOException("the log can't be read to its end"));
                }
                for (ConsumerRecord<byte[], byte[]> record : again(() -> consumer.poll(Duration.ofMillis(200)))) {
                    history.add(Polls.event(record));
                }
            }
        }
    }
}
