package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.StoreException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Positions in memory, behind a store whose answers can be held back or made to fail. */
final class MemoryCommits implements CommittedOffsets {

    final Map<String, Map<CommittedOffsets.Key, Position>> groups = new TreeMap<>();
    private final MemoryImages claims;
    private final Queue<Runnable> held = new ArrayDeque<>();
    private boolean holding;

    @Nullable
    private StoreException failure;

    int calls;

    MemoryCommits(MemoryImages claims) {
        this.claims = claims;
    }

    void hold() {
        holding = true;
    }

    void release() {
        holding = false;
        while (!held.isEmpty()) {
            held.remove().run();
        }
    }

    void failWith(StoreException.@Nullable Kind kind) {
        failure = kind == null ? null : new StoreException(kind, "made to fail");
    }

    @Override
    public CompletionStage<Outcome> commit(String group, Fence fence, Map<CommittedOffsets.Key, Position> positions) {
        return change(
                group,
                fence,
                () -> groups.computeIfAbsent(group, name -> new HashMap<>()).putAll(positions));
    }

    @Override
    public CompletionStage<Map<CommittedOffsets.Key, Position>> positions(String group) {
        return answer(() -> Map.copyOf(groups.getOrDefault(group, Map.of())));
    }

    @Override
    public CompletionStage<Outcome> remove(String group, Fence fence, Collection<CommittedOffsets.Key> keys) {
        return change(
                group,
                fence,
                () -> groups.computeIfPresent(group, (name, positions) -> {
                    positions.keySet().removeAll(keys);
                    return positions.isEmpty() ? null : positions;
                }));
    }

    @Override
    public CompletionStage<Outcome> removeAll(String group, Fence fence) {
        return change(group, fence, () -> groups.remove(group));
    }

    private CompletionStage<Outcome> change(String group, Fence fence, Runnable change) {
        return answer(() -> claims.change(group, fence, change));
    }

    @Override
    public CompletionStage<List<String>> groups() {
        return answer(() -> List.copyOf(groups.keySet()));
    }

    private <T> CompletionStage<T> answer(Supplier<T> work) {
        calls++;
        CompletableFuture<T> answer = new CompletableFuture<>();
        StoreException failing = failure;
        Runnable act = () -> {
            if (failing != null) {
                answer.completeExceptionally(failing);
            } else {
                answer.complete(work.get());
            }
        };
        if (holding) {
            held.add(act);
        } else {
            act.run();
        }
        return answer;
    }
}
