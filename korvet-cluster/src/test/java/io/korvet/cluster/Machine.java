package io.korvet.cluster;

import io.korvet.store.HeartbeatTable;
import io.korvet.store.LifeSigns;
import io.korvet.store.MembershipEpochs;
import io.korvet.store.StoreException;
import io.korvet.store.time.ManualScheduler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** One broker in a process of its own: its time stands still while it is paused, its way to the store can be cut or slow. */
final class Machine implements MembershipObserver {

    static final Duration INTERVAL = Duration.ofMillis(200);
    static final Duration TIMEOUT = Duration.ofSeconds(5);

    final ManualScheduler time;
    final RegistryMembership membership;
    final List<String> heard = new ArrayList<>();
    final List<ClusterView> views = new ArrayList<>();
    boolean paused;
    boolean cutOff;
    /** Signs of life alone. */
    boolean refused;

    Duration delay = Duration.ZERO;
    int lastEpoch;

    Machine(int id, String host, Instant start, HeartbeatTable table, MembershipEpochs epochs, LifeSigns signs) {
        time = new ManualScheduler(start);
        membership = new RegistryMembership(
                new BrokerNode(id, new Endpoint(host, 9092), Map.of(), null, 0),
                reached(HeartbeatTable.class, table),
                MembershipSettings.DEFAULTS,
                time,
                time,
                reached(MembershipEpochs.class, epochs),
                new FailureDetection(
                        reached(LifeSigns.class, signs), INTERVAL, TIMEOUT, () -> time.millis() * 1_000_000),
                this);
        membership.onChange(views::add);
    }

    List<Integer> ids() {
        return membership.view().nodes().stream().map(BrokerNode::id).toList();
    }

    void run(Duration duration) {
        if (!paused) {
            time.advance(duration);
        }
    }

    @Override
    public void declaredDead(int brokerId, Evidence evidence) {
        heard.add(brokerId + " " + evidence);
    }

    @Override
    public void foundDeclaredDead() {
        heard.add("found declared dead");
    }

    @Override
    public void lostRow() {
        heard.add("lost row");
    }

    private <T> T reached(Class<T> port, T store) {
        return port.cast(Proxy.newProxyInstance(
                port.getClassLoader(), new Class<?>[] {port}, (proxy, method, arguments) -> {
                    if (!CompletionStage.class.isAssignableFrom(method.getReturnType())) {
                        return method.invoke(store, arguments);
                    }
                    if (refused && port == LifeSigns.class) {
                        return CompletableFuture.failedFuture(
                                new StoreException(StoreException.Kind.REFUSED, "the key: NOPERM"));
                    }
                    return answer(() -> {
                        try {
                            return (CompletionStage<?>) method.invoke(store, arguments);
                        } catch (IllegalAccessException | InvocationTargetException e) {
                            throw new LinkageError(method.getName(), e);
                        }
                    });
                }));
    }

    private CompletionStage<?> answer(Supplier<CompletionStage<?>> call) {
        if (cutOff) {
            return CompletableFuture.failedFuture(new StoreException(StoreException.Kind.UNAVAILABLE, "cut off"));
        }
        if (delay.isZero()) {
            return call.get();
        }
        CompletableFuture<Object> late = new CompletableFuture<>();
        var unused =
                time.schedule(() -> call.get().thenAccept(late::complete), delay.toMillis(), TimeUnit.MILLISECONDS);
        return late;
    }
}
