package io.korvet.store.memory;

import io.korvet.store.CommittedOffsets.Fence;
import io.korvet.store.CommittedOffsets.Outcome;
import io.korvet.store.GroupImages;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

final class InMemoryGroupImages implements GroupImages {

    private final Map<String, Image> groups = new HashMap<>();
    private final Map<String, Fence> claims = new HashMap<>();
    private long epochs;

    @Override
    public synchronized CompletionStage<Claim> claim(String group) {
        epochs++;
        claims.put(group, new Fence(epochs, 0));
        return CompletableFuture.completedStage(new Claim(epochs, true, groups.get(group)));
    }

    @Override
    public synchronized CompletionStage<Boolean> save(String group, long epoch, Image image) {
        boolean mine = stored(group) <= epoch;
        if (mine) {
            groups.put(group, image);
        }
        return CompletableFuture.completedStage(mine);
    }

    @Override
    public synchronized CompletionStage<Boolean> delete(String group, long epoch) {
        boolean mine = stored(group) <= epoch;
        if (mine) {
            groups.remove(group);
        }
        return CompletableFuture.completedStage(mine);
    }

    @Override
    public synchronized CompletionStage<Long> epoch(String group) {
        return CompletableFuture.completedStage(stored(group));
    }

    @Override
    public synchronized CompletionStage<List<String>> groups() {
        return CompletableFuture.completedStage(List.copyOf(groups.keySet()));
    }

    /** Changes a group's positions if the fence lets it pass. */
    synchronized Outcome change(String group, Fence fence, Runnable change) {
        Fence last = claims.getOrDefault(group, new Fence(0, 0));
        if (last.epoch() > fence.epoch()) {
            return Outcome.CLAIMED_ELSEWHERE;
        }
        if (last.epoch() == fence.epoch() && last.number() > fence.number()) {
            return Outcome.OVERTAKEN;
        }
        claims.put(group, fence);
        change.run();
        return last.epoch() == fence.epoch() ? Outcome.DONE : Outcome.DONE_AND_CLAIMED;
    }

    private long stored(String group) {
        return claims.getOrDefault(group, new Fence(0, 0)).epoch();
    }
}
