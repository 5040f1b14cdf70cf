package io.korvet.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Gathers the effects of one event. Not thread-safe: belongs to its group. */
final class Outbox {

    private List<Effect> effects = new ArrayList<>();

    void add(Effect effect) {
        effects.add(effect);
    }

    <T> void answer(CompletableFuture<T> reply, T result) {
        effects.add(new Effect.Answer<>(reply, result));
    }

    /** An answer that a later coordinator must know of. */
    void promise(CompletableFuture<JoinResult> reply, JoinResult result) {
        effects.add(new Effect.Promise<>(reply, result, error -> JoinResult.refused(error, result.memberId())));
    }

    /** An answer that a later coordinator must know of. */
    void promise(CompletableFuture<SyncResult> reply, SyncResult result) {
        effects.add(new Effect.Promise<>(reply, result, SyncResult::refused));
    }

    void addFirst(Effect effect) {
        effects.add(0, effect);
    }

    void refuse(CompletableFuture<JoinResult> reply, GroupError error, String memberId) {
        answer(reply, JoinResult.refused(error, memberId));
    }

    List<Effect> drain() {
        List<Effect> drained = effects;
        effects = new ArrayList<>();
        return drained;
    }
}
