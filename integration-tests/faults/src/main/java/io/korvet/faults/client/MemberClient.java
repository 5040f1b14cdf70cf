package io.korvet.faults.client;

import io.korvet.faults.history.Event;
import io.korvet.faults.history.Event.Assigned;
import io.korvet.faults.history.Event.CommitBegun;
import io.korvet.faults.history.Event.Committed;
import io.korvet.faults.history.Event.Note;
import io.korvet.faults.history.HistoryWriter;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** A member of the group: reads, commits what it has read once a second, and is replaced by a new one at times. */
final class MemberClient extends Thread {
    private static final Duration COMMIT = Duration.ofSeconds(3);
    private static final long COMMIT_EVERY = 1_000_000;
    private static final int SHORTEST_LIFE = 20_000_000;

    private final String name;
    private final Settings settings;
    private final Progress progress;
    private final Tally tally;
    private final SplittableRandom random;
    private volatile boolean stopping;

    MemberClient(int index, Settings settings, Progress progress, Tally tally) {
        super("member-" + index);
        this.name = "member-" + index;
        this.settings = settings;
        this.progress = progress;
        this.tally = tally;
        this.random = new SplittableRandom(settings.seed() * 17 + index);
    }

    /** Commits and leaves soon. */
    void end() {
        stopping = true;
    }

    @Override
    public void run() {
        try (HistoryWriter history = new HistoryWriter(settings.folder().resolve(name + ".history"))) {
            while (!stopping) {
                try (KafkaConsumer<byte[], byte[]> consumer = settings.member()) {
                    new Life(consumer, history).run();
                } catch (KafkaException e) {
                    history.add(new Note(Event.now(), "ends: " + e));
                }
            }
        }
    }

    /** One consumer. */
    private final class Life implements ConsumerRebalanceListener {
        private final KafkaConsumer<byte[], byte[]> consumer;
        private final HistoryWriter history;

        /** What was read and is not committed, as the newest record of each partition. */
        private final Map<TopicPartition, ConsumerRecord<byte[], byte[]>> read = new HashMap<>();

        Life(KafkaConsumer<byte[], byte[]> consumer, HistoryWriter history) {
            this.consumer = consumer;
            this.history = history;
        }

        void run() {
            long end = Event.now() + SHORTEST_LIFE + random.nextInt(2 * SHORTEST_LIFE);
            long nextCommit = Event.now() + COMMIT_EVERY;
            consumer.subscribe(List.of("time", "dense"), this);
            while (!stopping && Event.now() < end) {
                poll();
                if (Event.now() > nextCommit) {
                    commit();
                    nextCommit = Event.now() + COMMIT_EVERY;
                }
            }
            commit();
        }

        private void poll() {
            try {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    history.add(Polls.event(record));
                    tally.read().increment();
                    read.put(new TopicPartition(record.topic(), record.partition()), record);
                }
            } catch (KafkaException e) {
                history.add(new Note(Event.now(), e.toString()));
            }
        }

        private void commit() {
            if (read.isEmpty()) {
                return;
            }
            Map<TopicPartition, ConsumerRecord<byte[], byte[]>> newest = Map.copyOf(read);
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
            newest.forEach((partition, record) -> {
                offsets.put(partition, new OffsetAndMetadata(record.offset() + 1));
                history.add(new CommitBegun(Event.now(), partition.toString(), record.offset() + 1));
            });
            try {
                consumer.commitSync(offsets, COMMIT);
            } catch (KafkaException e) {
                history.add(new Note(Event.now(), "not committed: " + e));
                return;
            }
            newest.forEach((partition, record) -> {
                history.add(new Committed(Event.now(), partition.toString(), record.offset() + 1));
                int place = Topics.index(record.topic(), record.partition());
                progress.reached(Progress.Kind.COMMIT, 0, place, record.timestamp());
                read.remove(partition, record);
            });
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            history.add(new Note(Event.now(), "revoked " + partitions));
            commit();
            read.keySet().removeAll(partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            history.add(new Note(Event.now(), "lost " + partitions));
            read.keySet().removeAll(partitions);
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            partitions.forEach(partition -> history.add(new Assigned(Event.now(), partition.toString())));
        }
    }
}
