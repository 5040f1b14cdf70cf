package io.korvet.store.memory;

import io.korvet.store.LeaseStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

final class InMemoryLeaseStore implements LeaseStore {

    private record Lease(String token, long endMilliseconds) {}

    private final InstantSource clock;
    private final Map<String, Lease> leases = new HashMap<>();

    InMemoryLeaseStore(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public synchronized CompletionStage<Boolean> acquire(String name, String token, Duration duration) {
        Lease held = leases.get(name);
        long now = clock.millis();
        if (held != null && held.endMilliseconds > now && !held.token.equals(token)) {
            return CompletableFuture.completedStage(false);
        }
        leases.put(name, new Lease(token, now + duration.toMillis()));
        return CompletableFuture.completedStage(true);
    }

    @Override
    public synchronized CompletionStage<Boolean> release(String name, String token) {
        Lease held = leases.get(name);
        boolean mine = held != null && held.endMilliseconds > clock.millis() && held.token.equals(token);
        if (mine) {
            leases.remove(name);
        }
        return CompletableFuture.completedStage(mine);
    }
}
