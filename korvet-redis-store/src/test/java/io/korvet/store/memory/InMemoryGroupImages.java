package io.korvet.store.memory;

import io.korvet.store.GroupImages;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

final class InMemoryGroupImages implements GroupImages {

    private final Map<String, Claim> groups = new HashMap<>();
    private long epochs;

    @Override
    public synchronized CompletionStage<Claim> claim(String group) {
        epochs++;
        Claim claim = groups.computeIfPresent(group, (name, before) -> new Claim(epochs, before.image()));
        return CompletableFuture.completedStage(claim == null ? new Claim(epochs, null) : claim);
    }

    @Override
    public synchronized CompletionStage<Boolean> save(String group, long epoch, Image image) {
        boolean mine = stored(group) <= epoch;
        if (mine) {
            groups.put(group, new Claim(epoch, image));
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

    private long stored(String group) {
        Claim stored = groups.get(group);
        return stored == null ? 0 : stored.epoch();
    }
}
