package io.korvet.store.memory;

import io.korvet.store.HeartbeatTable;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

final class InMemoryHeartbeatTable implements HeartbeatTable {

    private final Map<String, String> rows = new HashMap<>();

    @Override
    public synchronized CompletionStage<Map<String, String>> rows() {
        return CompletableFuture.completedStage(Map.copyOf(rows));
    }

    @Override
    public synchronized CompletionStage<@Nullable String> compareAndSet(
            String member, @Nullable String expected, String row) {
        String there = rows.get(member);
        if (!Objects.equals(there, expected)) {
            return CompletableFuture.completedStage(there == null ? "" : there);
        }
        rows.put(member, row);
        return CompletableFuture.completedStage(null);
    }

    @Override
    public synchronized CompletionStage<Boolean> remove(String member, String expected) {
        return CompletableFuture.completedStage(rows.remove(member, expected));
    }
}
