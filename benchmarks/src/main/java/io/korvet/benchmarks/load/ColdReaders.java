package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.ChildProcess;
import io.korvet.benchmarks.process.Contender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/**
 * Readers of an archived topic, one for each partition, as fast as they are served, over and over until closed.
 *
 * <p>They stand for machines of their own, so they are a process of the lowest priority ({@code nice 19}) that only looks at
 * the heads of batches. It writes how many records it has read.
 */
public final class ColdReaders implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(30);
    private static final String NAME = "cold-readers";
    private static final long TELL_MILLISECONDS = 100;

    private final ChildProcess process;
    private final Path log;

    /** Starts them and waits until they read. */
    ColdReaders(Contender contender, TestTopic topic)
            throws IOException, ExecutionException, InterruptedException, BenchmarkException {
        Path folder = Files.createTempDirectory(NAME);
        log = folder.resolve(NAME + ".log");
        Map<TopicPartition, Long> begins = topic.offsets(OffsetSpec.earliest());
        List<String> command = new ArrayList<>(List.of("nice", "-n", "19"));
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path", "")));
        command.addAll(List.of(ColdReaders.class.getName(), Integer.toString(contender.port()), topic.name()));
        topic.offsets(OffsetSpec.latest())
                .forEach((partition, end) ->
                        command.add(partition.partition() + ":" + begins.getOrDefault(partition, 0L) + ":" + end));
        process = ChildProcess.start(NAME, folder, Map.of(), command);
        long deadline = System.nanoTime() + START.toNanos();
        while (records() == 0) {
            if (System.nanoTime() > deadline) {
                process.close();
                throw new BenchmarkException("cold readers read nothing within " + START + ": " + log);
            }
            TimeUnit.MILLISECONDS.sleep(TELL_MILLISECONDS);
        }
    }

    /** How many records all of them have read, up to a moment ago; fails when one of them did. */
    long records() throws IOException, BenchmarkException {
        List<String> lines = Files.readAllLines(log);
        String last = lines.isEmpty() ? "0" : lines.get(lines.size() - 1);
        if (!process.handle().isAlive() || !last.matches("[0-9]+")) {
            throw new BenchmarkException("cold readers failed: " + String.join(" / ", lines));
        }
        return Long.parseLong(last);
    }

    @Override
    public void close() {
        process.close();
    }

    /** The process: {@code port topic partition:begin:end …}; it ends when it is ended, or with the first failure. */
    public static void main(String[] arguments) throws InterruptedException {
        int port = Integer.parseInt(arguments[0]);
        LongAdder records = new LongAdder();
        for (String part : List.of(arguments).subList(2, arguments.length)) {
            String[] numbers = part.split(":", -1);
            TopicPartition partition = new TopicPartition(arguments[1], Integer.parseInt(numbers[0]));
            new Thread(() -> read(port, partition, Long.parseLong(numbers[1]), Long.parseLong(numbers[2]), records))
                    .start();
        }
        while (true) {
            TimeUnit.MILLISECONDS.sleep(TELL_MILLISECONDS);
            System.out.println(records.sum());
        }
    }

    private static void read(int port, TopicPartition partition, long begin, long end, LongAdder records) {
        try (RawFetch fetch = new RawFetch(port, partition, begin)) {
            while (true) {
                long before = fetch.records();
                fetch.next();
                records.add(fetch.records() - before);
                if (fetch.offset() >= end) {
                    fetch.seek(begin);
                }
            }
        } catch (IOException | BenchmarkException failure) {
            System.out.println(partition + ": " + failure);
            Runtime.getRuntime().halt(1);
        }
    }
}
