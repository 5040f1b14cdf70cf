package io.korvet.faults.client;

import io.korvet.faults.history.Event;
import io.korvet.faults.history.Event.Broken;
import io.korvet.faults.history.Event.Note;
import io.korvet.faults.history.Event.Positioned;
import io.korvet.faults.history.HistoryWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** A consumer that reads all partitions from their beginnings; one that seeks goes back by some thousand records at times. */
final class ReaderClient extends Thread {
    private static final int REMEMBERED = 3_000;
    private static final long SEEK_EVERY = 2_000_000;

    private final String name;
    private final int index;
    private final boolean seeks;
    private final Settings settings;
    private final Progress progress;
    private final Tally tally;
    private final SplittableRandom random;
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private final Map<TopicPartition, List<Long>> seen = new HashMap<>();
    private volatile Map<TopicPartition, Long> goal = Map.of();
    private volatile long deadline = Long.MAX_VALUE;

    ReaderClient(int index, boolean seeks, Settings settings, Progress progress, Tally tally) {
        super("reader-" + index);
        this.name = "reader-" + index;
        this.index = index;
        this.seeks = seeks;
        this.settings = settings;
        this.progress = progress;
        this.tally = tally;
        this.random = new SplittableRandom(settings.seed() * 31 + index);
        progress.add(Progress.Kind.READ, index);
    }

    /** Ends once it has read as far as this, or when the patience is over. */
    void endAt(Map<TopicPartition, Long> ends, Duration patience) {
        deadline = Event.now() + patience.toNanos() / 1_000;
        goal = Map.copyOf(ends);
    }

    @Override
    public void run() {
        try (HistoryWriter history = new HistoryWriter(settings.folder().resolve(name + ".history"));
                KafkaConsumer<byte[], byte[]> consumer = settings.reader()) {
            consumer.assign(Topics.ALL);
            Topics.ALL.forEach(partition -> seek(consumer, history, partition, 0));
            long nextSeek = Event.now() + SEEK_EVERY;
            while (!done()) {
                if (seeks && goal.isEmpty() && Event.now() > nextSeek) {
                    goBack(consumer, history);
                    nextSeek = Event.now() + SEEK_EVERY;
                }
                poll(consumer, history);
            }
        }
    }

    private boolean done() {
        Map<TopicPartition, Long> ends = goal;
        boolean reached =
                ends.entrySet().stream().allMatch(end -> positions.getOrDefault(end.getKey(), 0L) >= end.getValue());
        return Event.now() > deadline || (!ends.isEmpty() && reached);
    }

    private void poll(KafkaConsumer<byte[], byte[]> consumer, HistoryWriter history) {
        try {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                history.add(Polls.event(record));
                tally.read().increment();
                TopicPartition partition = new TopicPartition(record.topic(), record.partition());
                positions.put(partition, record.offset() + 1);
                remember(partition, record.offset());
                int place = Topics.index(record.topic(), record.partition());
                progress.reached(Progress.Kind.READ, index, place, record.timestamp());
            }
        } catch (OffsetOutOfRangeException e) {
            e.offsetOutOfRangePartitions().forEach((partition, offset) -> {
                history.add(new Broken(Event.now(), partition.toString(), offset, "out of range"));
                seek(consumer, history, partition, positions.getOrDefault(partition, 0L));
            });
        } catch (KafkaException e) {
            history.add(new Note(Event.now(), e.toString()));
        }
    }

    private void remember(TopicPartition partition, long offset) {
        List<Long> offsets = seen.computeIfAbsent(partition, key -> new ArrayList<>());
        if (offsets.size() < REMEMBERED) {
            offsets.add(offset);
        } else {
            offsets.set(random.nextInt(REMEMBERED / 10), offset);
        }
    }

    private void goBack(KafkaConsumer<byte[], byte[]> consumer, HistoryWriter history) {
        TopicPartition partition = Topics.ALL.get(random.nextInt(Topics.ALL.size()));
        List<Long> offsets = seen.getOrDefault(partition, List.of());
        if (!offsets.isEmpty()) {
            seek(consumer, history, partition, offsets.get(random.nextInt(offsets.size())));
            seen.remove(partition);
        }
    }

    private void seek(
            KafkaConsumer<byte[], byte[]> consumer, HistoryWriter history, TopicPartition partition, long offset) {
        history.add(new Positioned(Event.now(), partition.toString(), offset));
        consumer.seek(partition, offset);
        positions.put(partition, offset);
    }
}
