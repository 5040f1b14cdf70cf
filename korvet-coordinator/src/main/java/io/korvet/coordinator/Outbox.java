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

    void refuse(CompletableFuture<JoinResult> reply, GroupError error, String memberId) {
        answer(reply, JoinResult.refused(error, memberId));
    }

    List<Effect> drain() {
        List<Effect> drained = effects;
        effects = new ArrayList<>();
        return drained;
    }
}
