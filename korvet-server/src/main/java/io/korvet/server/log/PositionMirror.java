package io.korvet.server.log;

import io.korvet.coordinator.GroupObserver;
import io.korvet.offsets.StreamEntryId;
import io.korvet.server.topics.Topics;
import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Position;
import io.korvet.store.DeliveryGroups;
import io.korvet.store.StreamName;
import io.korvet.store.TopicCatalog.Topic;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows committed positions as native Redis consumer groups, so that {@code XINFO GROUPS} tells where a Kafka group stands.
 *
 * <p>A courtesy to people who look into Redis: off the hot path, at most once per interval for each position and so many positions per
 * interval; what can't be written is left for the next commit. A position that is removed takes its group from the partition's streams;
 * a removal that fails, or comes when too much is waiting, leaves the group there. Thread-safe.
 */
public final class PositionMirror implements GroupObserver, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PositionMirror.class);
    private static final int MOST_WAITING = 10_000;

    /** Positions written per interval: what others want of the same connection goes on beside them. */
    static final int MOST_AT_A_TIME = 1_000;

    private record Place(String group, CommittedOffsets.Key key) {}

    private final DeliveryGroups groups;
    private final Topics topics;
    private final PartitionLogs logs;
    private final Future<?> flushing;
    /** What to write, by place: a position, or empty for none any more. Guarded by itself. */
    private final Map<Place, OptionalLong> waiting = new LinkedHashMap<>();

    /** A mirror that writes what was committed once per interval, on the scheduler. */
    public PositionMirror(
            DeliveryGroups groups,
            Topics topics,
            PartitionLogs logs,
            ScheduledExecutorService scheduler,
            Duration interval) {
        this.groups = groups;
        this.topics = topics;
        this.logs = logs;
        this.flushing = scheduler.scheduleWithFixedDelay(
                this::flush, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void committed(String group, Map<CommittedOffsets.Key, Position> positions) {
        synchronized (waiting) {
            positions.forEach((key, position) -> put(new Place(group, key), OptionalLong.of(position.offset())));
        }
    }

    @Override
    public void removed(String group, Collection<CommittedOffsets.Key> keys) {
        synchronized (waiting) {
            keys.forEach(key -> put(new Place(group, key), OptionalLong.empty()));
        }
    }

    /** Comes in the stead and the turn of what is waiting for the same place. */
    private void put(Place place, OptionalLong offset) {
        if (waiting.containsKey(place) || waiting.size() < MOST_WAITING) {
            waiting.put(place, offset);
        }
    }

    /** Writes what has waited longest. */
    void flush() {
        Map<Place, OptionalLong> now = new LinkedHashMap<>();
        synchronized (waiting) {
            Iterator<Map.Entry<Place, OptionalLong>> oldest = waiting.entrySet().iterator();
            while (oldest.hasNext() && now.size() < MOST_AT_A_TIME) {
                Map.Entry<Place, OptionalLong> next = oldest.next();
                now.put(next.getKey(), next.getValue());
                oldest.remove();
            }
        }
        now.forEach((place, offset) -> {
            CompletionStage<Void> written = write(place, offset);
            if (written != null) {
                written.whenComplete((done, failure) -> {
                    if (failure != null) {
                        LOG.atDebug()
                                .addKeyValue("groupId", place.group)
                                .addKeyValue("topic", place.key.topic())
                                .log("position not mirrored: {}", failure.getMessage());
                    }
                });
            }
        });
    }

    /** Most partitions of a group are led, and open, elsewhere: they are not opened here for this. */
    private @Nullable CompletionStage<Void> write(Place place, OptionalLong position) {
        int partition = place.key.partition();
        Topic topic = topics.byName(place.key.topic());
        if (topic == null || partition < 0 || partition >= topic.partitions()) {
            return null;
        }
        StreamName stream = PartitionLog.streamOf(topic.name(), partition);
        if (position.isEmpty()) {
            return logs.look(topic, partition).thenCompose(view -> remove(stream, view, place.group));
        }
        long offset = position.getAsLong();
        StreamEntryId done = offset <= 0
                ? StreamEntryId.MINIMUM
                : topics.settings(topic).encoding().idOf(offset - 1);
        return logs.segmentOf(topic, partition, offset)
                .thenCompose(segment -> groups.position(stream, segment, place.group, done));
    }

    /** From all segments, one after another. */
    private CompletionStage<Void> remove(StreamName stream, LogView view, String group) {
        CompletionStage<Void> removed = CompletableFuture.completedFuture(null);
        for (LogView.Part segment : view.segments()) {
            removed = removed.thenCompose(before -> groups.remove(stream, segment.number(), group));
        }
        return removed;
    }

    @Override
    public void close() {
        flushing.cancel(false);
    }
}
