package io.korvet.store.memory;

import io.korvet.store.CommittedOffsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

final class InMemoryCommittedOffsets implements CommittedOffsets {

    private final Map<String, Map<Key, Position>> groups = new HashMap<>();

    @Override
    public synchronized CompletionStage<Void> commit(String group, Map<Key, Position> positions) {
        if (!positions.isEmpty()) {
            groups.computeIfAbsent(group, name -> new HashMap<>()).putAll(positions);
        }
        return CompletableFuture.completedStage(null);
    }

    @Override
    public synchronized CompletionStage<Map<Key, Position>> positions(String group) {
        return CompletableFuture.completedStage(Map.copyOf(groups.getOrDefault(group, Map.of())));
    }

    @Override
    public synchronized CompletionStage<Void> remove(String group, Collection<Key> keys) {
        groups.computeIfPresent(group, (name, positions) -> {
            keys.forEach(positions::remove);
            return positions.isEmpty() ? null : positions;
        });
        return CompletableFuture.completedStage(null);
    }

    @Override
    public synchronized CompletionStage<Boolean> delete(String group) {
        return CompletableFuture.completedStage(groups.remove(group) != null);
    }

    @Override
    public synchronized CompletionStage<List<String>> groups() {
        return CompletableFuture.completedStage(new ArrayList<>(groups.keySet()));
    }
}
