package io.korvet.server.topics;

import io.korvet.store.TopicCatalog.Snapshot;
import io.korvet.store.TopicCatalog.Topic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** All topics at one version of the catalog, each with its settings. Immutable. */
final class TopicView {

    /** The view before anything was read. */
    static final TopicView NONE = new TopicView(-1, List.of());

    private record Entry(Topic topic, TopicSettings settings) {}

    private final long version;
    private final Map<String, Entry> byName = new TreeMap<>();
    private final Map<String, Entry> byId = new HashMap<>();
    private final Map<String, Topic> byCollisionKey = new HashMap<>();
    private final List<Topic> topics;

    private TopicView(long version, Collection<Entry> entries) {
        this.version = version;
        for (Entry entry : entries) {
            byName.put(entry.topic().name(), entry);
            byId.put(entry.topic().id(), entry);
            byCollisionKey.put(TopicNames.collisionKey(entry.topic().name()), entry.topic());
        }
        topics = byName.values().stream().map(Entry::topic).toList();
    }

    /** The view after this one; settings are read again only for topics that changed. */
    TopicView next(Snapshot snapshot, Function<Topic, TopicSettings> settings) {
        List<Entry> entries = new ArrayList<>(snapshot.topics().size());
        for (Topic topic : snapshot.topics()) {
            Entry known = byId.get(topic.id());
            entries.add(known != null && known.topic().equals(topic) ? known : new Entry(topic, settings.apply(topic)));
        }
        return new TopicView(snapshot.version(), entries);
    }

    /** The topics of this view whose incarnation a later one doesn't have. */
    List<Topic> goneFrom(TopicView later) {
        return topics.stream()
                .filter(topic -> !later.byId.containsKey(topic.id()))
                .toList();
    }

    long version() {
        return version;
    }

    @Nullable
    Topic byName(String name) {
        Entry entry = byName.get(name);
        return entry == null ? null : entry.topic();
    }

    @Nullable
    Topic byId(String id) {
        Entry entry = byId.get(id);
        return entry == null ? null : entry.topic();
    }

    /** The topic beside which another of this name can't stand, itself included. */
    @Nullable
    Topic colliding(String name) {
        return byCollisionKey.get(TopicNames.collisionKey(name));
    }

    /** The settings of exactly this state of a topic. */
    @Nullable
    TopicSettings settings(Topic topic) {
        Entry entry = byId.get(topic.id());
        return entry == null || !entry.topic().config().equals(topic.config()) ? null : entry.settings();
    }

    /** All topics by name. */
    List<Topic> topics() {
        return topics;
    }
}
