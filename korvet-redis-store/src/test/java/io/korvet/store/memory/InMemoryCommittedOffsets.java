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
    private final InMemoryGroupImages claims;

    InMemoryCommittedOffsets(InMemoryGroupImages claims) {
        this.claims = claims;
    }

    @Override
    public synchronized CompletionStage<Outcome> commit(String group, Fence fence, Map<Key, Position> positions) {
        return change(
                group,
                fence,
                () -> groups.computeIfAbsent(group, name -> new HashMap<>()).putAll(positions));
    }

    @Override
    public synchronized CompletionStage<Map<Key, Position>> positions(String group) {
        return CompletableFuture.completedStage(Map.copyOf(groups.getOrDefault(group, Map.of())));
    }

    @Override
    public synchronized CompletionStage<Outcome> remove(String group, Fence fence, Collection<Key> keys) {
        return change(
                group,
                fence,
                () -> groups.computeIfPresent(group, (name, positions) -> {
                    keys.forEach(positions::remove);
                    return positions.isEmpty() ? null : positions;
                }));
    }

    @Override
    public synchronized CompletionStage<Outcome> removeAll(String group, Fence fence) {
        return change(group, fence, () -> groups.remove(group));
    }

    private CompletionStage<Outcome> change(String group, Fence fence, Runnable change) {
        return CompletableFuture.completedStage(claims.change(group, fence, change));
    }

    @Override
    public synchronized CompletionStage<List<String>> groups() {
        return CompletableFuture.completedStage(new ArrayList<>(groups.keySet()));
    }
}
