package io.korvet.tiering;

import io.korvet.store.LogState;
import io.korvet.store.SegmentCatalog.Outcome;
import io.korvet.store.SegmentState;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;

/**
 * Removes segments of one log from the cold tier: first the start of the log is moved, so that nobody reads what goes, then
 * the tier forgets the segments, and only then the catalog, so that nothing is left that nobody knows.
 *
 * @param at is told which segment it is about
 */
record LogRemoval(ManagedLog log, LogColdTurn.Parts parts, LongConsumer at) {

    /** Removes from the tier what an earlier leader, or a removal in Redis alone, may have left there. */
    CompletionStage<Void> sweep(LogState state) {
        long oldest = ColdWork.oldest(state);
        if (oldest == 0 || parts.memory().isSwept(log.stream())) {
            return LogColdTurn.nothing();
        }
        parts.memory().swept(log.stream());
        return parts.permitted(() -> parts.tier().removeThrough(log.stream(), log.incarnation(), oldest - 1))
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        parts.memory().unswept(log.stream());
                    }
                });
    }

    /**
     * Removes the segments whose time is over from the start of the log on, as far as the last one that the tier may have.
     */
    CompletionStage<Void> remove(List<TierAction> plan) {
        List<TierAction.Remove> due = plan.stream()
                .filter(action -> action.kind() == TierAction.Kind.REMOVE)
                .map(action -> (TierAction.Remove) action)
                .toList();
        int last = due.size() - 1;
        while (last >= 0 && due.get(last).state() == SegmentState.SEALED) {
            last--;
        }
        if (last < 0) {
            return LogColdTurn.nothing();
        }
        TierAction.Remove newest = due.get(last);
        at.accept(newest.segment());
        int count = last + 1;
        return parts.permitted(() -> parts.then(
                parts.store().entries().truncateBefore(log.stream(), log.incarnation(), newest.newStartOffset()),
                start -> start == null
                        ? LogColdTurn.nothing()
                        : parts.then(
                                parts.tier().removeThrough(log.stream(), log.incarnation(), newest.segment()),
                                gone -> removeRows(due.subList(0, count), 0))));
    }

    private CompletionStage<Void> removeRows(List<TierAction.Remove> due, int index) {
        if (index == due.size()) {
            ColdLog.removed(log.stream(), due);
            return LogColdTurn.nothing();
        }
        TierAction.Remove action = due.get(index);
        return parts.then(
                parts.store()
                        .segments()
                        .remove(log.stream(), log.incarnation(), action.segment(), action.newStartOffset()),
                outcome -> {
                    if (outcome != Outcome.DONE) {
                        return LogColdTurn.nothing();
                    }
                    parts.observer().acted(log, action);
                    return removeRows(due, index + 1);
                });
    }
}
