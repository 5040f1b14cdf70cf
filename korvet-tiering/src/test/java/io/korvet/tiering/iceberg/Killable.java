package io.korvet.tiering.iceberg;

import io.korvet.store.EntryLog;
import io.korvet.store.SegmentCatalog;
import io.korvet.store.Store;
import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.ColdTier;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The world of a process that dies at one of the places between its steps: before and after each call that changes or
 * decides something, and within an offload. From then on nothing answers it, as far as it goes on at all.
 */
final class Killable implements OffloadSeam {

    private static final Set<String> PLACES = Set.of(
            "markOffloaded",
            "dropLocal",
            "remove",
            "truncateBefore",
            "seal",
            "lead",
            "offload",
            "find",
            "removeThrough");

    private final int place;
    private final AtomicInteger passed = new AtomicInteger();
    private final CountDownLatch dead = new CountDownLatch(1);
    private volatile String where = "";

    /** Dies at the place of this number, counted from 0 as they come by. */
    Killable(int place) {
        this.place = place;
    }

    /** Waits for the end; false when the process lived on for so long. */
    boolean isDeadWithin(long milliseconds) throws InterruptedException {
        return dead.await(milliseconds, TimeUnit.MILLISECONDS);
    }

    /** Where it died. */
    String where() {
        return where;
    }

    /** Kills it wherever it is. */
    void kill() {
        dead.countDown();
    }

    private boolean diesAt(String name) {
        if (dead.getCount() == 0) {
            return true;
        }
        if (passed.getAndIncrement() == place) {
            where = name;
            dead.countDown();
            return true;
        }
        return false;
    }

    @Override
    public void at(Point point, ColdSegment segment) {
        if (diesAt("offload " + point)) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("killed", e);
            }
        }
    }

    ColdTier tier(ColdTier tier) {
        return port(ColdTier.class, tier, Map.of());
    }

    Store store(Store store) {
        return port(
                Store.class,
                store,
                Map.of(
                        "entries", port(EntryLog.class, store.entries(), Map.of()),
                        "segments", port(SegmentCatalog.class, store.segments(), Map.of())));
    }

    private <T> T port(Class<T> type, T real, Map<String, Object> parts) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> {
                    Object part = parts.get(method.getName());
                    if (part != null) {
                        return part;
                    }
                    boolean counts = PLACES.contains(method.getName());
                    if (CompletionStage.class.isAssignableFrom(method.getReturnType())
                            && (counts ? diesAt("before " + method.getName()) : dead.getCount() == 0)) {
                        return new CompletableFuture<>();
                    }
                    try {
                        Object answer = method.invoke(real, given);
                        return counts ? after((CompletionStage<?>) answer, method.getName()) : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private <T> CompletionStage<T> after(CompletionStage<T> answer, String name) {
        CompletableFuture<T> told = new CompletableFuture<>();
        var unused = answer.whenComplete((result, failure) -> {
            if (diesAt("after " + name)) {
                return;
            }
            if (failure == null) {
                told.complete(result);
            } else {
                told.completeExceptionally(failure);
            }
        });
        return told;
    }
}
