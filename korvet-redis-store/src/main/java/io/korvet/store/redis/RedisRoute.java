package io.korvet.store.redis;

import java.util.concurrent.CompletionStage;

/** Where calls of one kind go: to a connection, or to one of several by the key. Thread-safe. */
interface RedisRoute {

    /** Sends a call; its answer is completed on an event loop. */
    <T> CompletionStage<T> send(RedisCall<T> call);

    /** Whether calls on keys of different slots are carried out in the order in which they were sent. */
    boolean keepsOrderAcrossSlots();
}
