package io.korvet.server.log;

import io.korvet.cluster.ClusterView;
import io.korvet.server.topics.TopicSettings;
import io.korvet.server.topics.Topics;
import io.korvet.store.EntryLog;
import io.korvet.store.TopicCatalog.Topic;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** The partitions that this broker serves, opened on first use. Thread-safe. */
public final class PartitionLogs {

    /** Reads of the store at a time, each of up to {@link Limits#maxReadBytes()}. */
    private static final int READS_UNDER_WAY = 64;
    /** Reads that may take long, apart from the others. */
    private static final int COLD_READS_UNDER_WAY = 64;

    private record Key(String topicId, int partition) {}

    private final Map<Key, PartitionLog> logs = new ConcurrentHashMap<>();
    private final Topics topics;
    private final LogContext context;

    /** Partitions over a store; listens to the topics that go away. */
    public PartitionLogs(
            Topics topics,
            EntryLog entries,
            ByteBufAllocator allocator,
            InstantSource clock,
            Limits limits,
            LogObserver observer) {
        this.topics = topics;
        this.context = new LogContext(
                entries,
                new TailCache(limits.tailCacheBytes()),
                new ReadTurns(READS_UNDER_WAY),
                new ReadTurns(COLD_READS_UNDER_WAY),
                allocator,
                clock,
                limits,
                observer,
                new AppendFailures(clock));
        topics.onRemoved(this::removed);
    }

    /** The log of a partition of a topic that is in the view; {@code null} for a number beyond its partitions. */
    public @Nullable PartitionLog log(Topic topic, int partition) {
        if (partition < 0 || partition >= topic.partitions()) {
            return null;
        }
        Key key = new Key(topic.id(), partition);
        PartitionLog log = logs.get(key);
        return log != null ? log : logs.computeIfAbsent(key, missing -> open(topic, partition));
    }

    private PartitionLog open(Topic topic, int partition) {
        Supplier<TopicSettings> settings = () -> {
            Topic current = topics.byId(topic.id());
            return topics.settings(current == null ? topic : current);
        };
        return new PartitionLog(topic.name(), partition, topic.id(), settings, context);
    }

    /** What the store says of a partition, which is not opened for it; fails when it is gone. */
    CompletionStage<LogView> look(Topic topic, int partition) {
        PartitionLog open = logs.get(new Key(topic.id(), partition));
        return open != null
                ? open.refresh()
                : context.entries()
                        .state(PartitionLog.streamOf(topic.name(), partition))
                        .thenApply(state -> {
                            if (state == null || !state.incarnation().equals(topic.id())) {
                                throw Errors.UNKNOWN_TOPIC_OR_PARTITION.exception("the topic was deleted");
                            }
                            return LogView.of(state, topics.settings(topic).encoding());
                        });
    }

    /** The number of the segment that holds an offset, or of the open one for an offset at the end. */
    CompletionStage<Long> segmentOf(Topic topic, int partition, long offset) {
        PartitionLog open = logs.get(new Key(topic.id(), partition));
        return open != null
                ? open.offsets().segmentOf(offset)
                : look(topic, partition)
                        .thenApply(view ->
                                view.segments().get(view.indexOf(offset)).number());
    }

    /** All logs that are open. */
    public Collection<PartitionLog> open() {
        return List.copyOf(logs.values());
    }

    /** Bytes in the tail cache. */
    public long tailCacheBytes() {
        return context.tailCache().bytes();
    }

    /** Gives up the partitions that another broker leads now. */
    public void clusterChanged(ClusterView view) {
        logs.forEach((key, log) -> {
            if (!view.leads(log.topic(), log.partition()) && logs.remove(key, log)) {
                log.forget();
            }
        });
    }

    /** Tells by their stored state which producers have not appended for this long and can be forgotten. */
    public static Predicate<String> producersUnusedFor(Duration age, InstantSource clock) {
        return state -> ProducerState.lastUseMilliseconds(state) < clock.millis() - age.toMillis();
    }

    /** Ends all logs and empties the tail cache. */
    public void close() {
        logs.forEach((key, log) -> {
            if (logs.remove(key, log)) {
                log.close();
            }
        });
    }

    private void removed(List<Topic> gone) {
        Set<String> ids = gone.stream().map(Topic::id).collect(Collectors.toSet());
        logs.forEach((key, log) -> {
            if (ids.contains(key.topicId()) && logs.remove(key, log)) {
                log.close();
            }
        });
    }
}
