package io.korvet.cluster;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** One broker's part in a cluster: it joins, sees who else is there, and leaves. Thread-safe, nothing blocks. */
public interface Membership {

    /** The present view; before joining, and whatever happens later, this broker is in it. */
    ClusterView view();

    /**
     * Takes this broker's place; done once, before anything is served.
     *
     * @return fails with a {@link BrokerIdTakenException} when a live broker at another endpoint has the id, and with a
     *     {@link io.korvet.store.StoreException} when the store can't be reached
     */
    CompletionStage<Void> join();

    /** Gives this broker's place up; idempotent. The view stays what it was. */
    CompletionStage<Void> leave();

    /**
     * Calls a listener with each new view, when brokers came or went or their endpoints changed. Calls come one after the
     * other, on a thread that must not be blocked; a listener that throws doesn't keep others from being called.
     */
    void onChange(Consumer<ClusterView> listener);
}
