package io.korvet.store.memory;

import io.korvet.store.TopicCatalog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Topics in memory. */
public final class InMemoryTopicCatalog implements TopicCatalog {

    private final Map<String, Topic> topics = new TreeMap<>();
    private final Map<String, Topic> removed = new TreeMap<>();
    private long version;

    InMemoryTopicCatalog() {}

    @Override
    public synchronized CompletionStage<Long> version() {
        return CompletableFuture.completedStage(version);
    }

    @Override
    public synchronized CompletionStage<Snapshot> snapshot() {
        return CompletableFuture.completedStage(new Snapshot(version, new ArrayList<>(topics.values())));
    }

    @Override
    public synchronized CompletionStage<Boolean> add(Topic topic) {
        boolean added = topics.putIfAbsent(topic.name(), topic) == null;
        version += added ? 1 : 0;
        return CompletableFuture.completedStage(added);
    }

    @Override
    public synchronized CompletionStage<Boolean> replace(Topic expected, Topic replacement) {
        boolean replaced = topics.replace(expected.name(), expected, replacement);
        version += replaced ? 1 : 0;
        return CompletableFuture.completedStage(replaced);
    }

    @Override
    public synchronized CompletionStage<@Nullable Topic> remove(String name, String id) {
        Topic topic = topics.get(name);
        if (topic == null || !topic.id().equals(id)) {
            return CompletableFuture.completedStage(null);
        }
        topics.remove(name);
        removed.put(id, topic);
        version++;
        return CompletableFuture.completedStage(topic);
    }

    @Override
    public synchronized CompletionStage<List<Topic>> removed() {
        return CompletableFuture.completedStage(new ArrayList<>(removed.values()));
    }

    @Override
    public synchronized CompletionStage<Void> forget(Topic topic) {
        removed.remove(topic.id());
        return CompletableFuture.completedStage(null);
    }
}
