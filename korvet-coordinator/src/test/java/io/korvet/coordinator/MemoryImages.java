package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets.Fence;
import io.korvet.store.CommittedOffsets.Outcome;
import io.korvet.store.GroupImages;
import io.korvet.store.StoreException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Groups with their members in memory, behind a store whose answers can be held back or made to fail. */
final class MemoryImages implements GroupImages {

    final Map<String, Image> groups = new TreeMap<>();
    private final Map<String, Fence> fences = new TreeMap<>();
    private final Queue<Runnable> held = new ArrayDeque<>();
    private boolean holding;
    private long epochs;

    @Nullable
    private StoreException failure;

    int claims;

    /** While true, groups are read and not claimed. */
    boolean full;

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

    /** What is stored of a group. */
    Image image(String group) {
        Image image = groups.get(group);
        if (image == null) {
            throw new AssertionError("nothing is stored of " + group);
        }
        return image;
    }

    /** Carries out a change of a group's positions, or not. */
    Outcome change(String group, Fence fence, Runnable change) {
        Fence last = last(group);
        if (last.epoch() > fence.epoch()) {
            return Outcome.CLAIMED_ELSEWHERE;
        }
        if (last.epoch() == fence.epoch() && last.number() > fence.number()) {
            return Outcome.OVERTAKEN;
        }
        fences.put(group, fence);
        change.run();
        return last.epoch() == fence.epoch() ? Outcome.DONE : Outcome.DONE_AND_CLAIMED;
    }

    @Override
    public CompletionStage<Claim> claim(String group) {
        claims++;
        return answer(() -> {
            epochs++;
            if (!full) {
                fences.put(group, new Fence(epochs, 0));
            }
            return new Claim(epochs, !full, groups.get(group));
        });
    }

    @Override
    public CompletionStage<Boolean> save(String group, long epoch, Image image) {
        return answer(() -> {
            boolean mine = last(group).epoch() <= epoch;
            if (mine) {
                groups.put(group, image);
            }
            return mine;
        });
    }

    @Override
    public CompletionStage<Boolean> delete(String group, long epoch) {
        return answer(() -> {
            boolean mine = last(group).epoch() <= epoch;
            if (mine) {
                groups.remove(group);
            }
            return mine;
        });
    }

    @Override
    public CompletionStage<Long> epoch(String group) {
        return answer(() -> last(group).epoch());
    }

    @Override
    public CompletionStage<List<String>> groups() {
        return answer(() -> List.copyOf(groups.keySet()));
    }

    private Fence last(String group) {
        return fences.getOrDefault(group, new Fence(0, 0));
    }

    private <T> CompletionStage<T> answer(Supplier<T> work) {
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
