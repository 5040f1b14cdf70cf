package io.korvet.coordinator;

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

    final Map<String, Claim> groups = new TreeMap<>();
    private final Queue<Runnable> held = new ArrayDeque<>();
    private boolean holding;
    private long epochs;

    @Nullable
    private StoreException failure;

    int claims;

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
        Claim claim = groups.get(group);
        if (claim == null || claim.image() == null) {
            throw new AssertionError("nothing is stored of " + group);
        }
        return claim.image();
    }

    @Override
    public CompletionStage<Claim> claim(String group) {
        claims++;
        return answer(() -> {
            epochs++;
            Claim claimed = groups.computeIfPresent(group, (name, before) -> new Claim(epochs, before.image()));
            return claimed == null ? new Claim(epochs, null) : claimed;
        });
    }

    @Override
    public CompletionStage<Boolean> save(String group, long epoch, Image image) {
        return answer(() -> {
            boolean mine = stored(group) <= epoch;
            if (mine) {
                groups.put(group, new Claim(epoch, image));
            }
            return mine;
        });
    }

    @Override
    public CompletionStage<Boolean> delete(String group, long epoch) {
        return answer(() -> {
            boolean mine = stored(group) <= epoch;
            if (mine) {
                groups.remove(group);
            }
            return mine;
        });
    }

    @Override
    public CompletionStage<Long> epoch(String group) {
        return answer(() -> stored(group));
    }

    @Override
    public CompletionStage<List<String>> groups() {
        return answer(() -> List.copyOf(groups.keySet()));
    }

    private long stored(String group) {
        Claim claim = groups.get(group);
        return claim == null ? 0 : claim.epoch();
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
