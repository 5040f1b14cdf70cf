package io.korvet.cluster;

import io.korvet.store.HeartbeatTable;
import io.korvet.store.StoreException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A table in memory that several members share, and that can be away or lose its answers. */
final class FallibleHeartbeatTable implements HeartbeatTable {

    enum Mood {
        ANSWERS,
        AWAY,
        LOSES_ANSWERS
    }

    final Map<String, String> rows = new ConcurrentHashMap<>();
    volatile Mood mood = Mood.ANSWERS;

    @Override
    public CompletionStage<Map<String, String>> rows() {
        return answer(() -> Map.copyOf(rows));
    }

    @Override
    public CompletionStage<@Nullable String> compareAndSet(String member, @Nullable String expected, String row) {
        return answer(() -> {
            String found = rows.getOrDefault(member, "");
            if (!found.equals(expected == null ? "" : expected)) {
                return found;
            }
            rows.put(member, row);
            return null;
        });
    }

    @Override
    public CompletionStage<Boolean> remove(String member, String expected) {
        return answer(() -> rows.remove(member, expected));
    }

    private <T extends @Nullable Object> CompletionStage<T> answer(Supplier<T> act) {
        return switch (mood) {
            case ANSWERS -> CompletableFuture.completedFuture(act.get());
            case AWAY -> CompletableFuture.failedFuture(new StoreException(StoreException.Kind.UNAVAILABLE, "away"));
            case LOSES_ANSWERS -> {
                var unused = act.get();
                yield CompletableFuture.failedFuture(
                        new StoreException(StoreException.Kind.OUTCOME_UNKNOWN, "no answer"));
            }
        };
    }
}
