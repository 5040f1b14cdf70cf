package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.GroupImages;
import io.korvet.store.StoreException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * One coordinator's way to a store. What is sent arrives when it is told to, in order on one connection. When the connection
 * is lost, the sender is told that nothing is known, and what was under way arrives all the same, at any time later.
 */
final class LateStore implements CommittedOffsets, GroupImages {

    private record Call<T>(boolean changes, Supplier<CompletionStage<T>> work, CompletableFuture<T> answer) {
        void arrive() {
            work.get().whenComplete((result, failure) -> {
                if (failure == null) {
                    answer.complete(result);
                } else {
                    answer.completeExceptionally(failure);
                }
            });
        }

        void lose() {
            answer.completeExceptionally(new StoreException(StoreException.Kind.OUTCOME_UNKNOWN, "connection lost"));
        }
    }

    private final CommittedOffsets commits;
    private final GroupImages images;
    private final List<Deque<Call<?>>> lost = new ArrayList<>();
    private Deque<Call<?>> connection = new ArrayDeque<>();

    LateStore(CommittedOffsets commits, GroupImages images) {
        this.commits = commits;
        this.images = images;
    }

    /** Whether something is under way on the present connection. */
    boolean isBusy() {
        return !connection.isEmpty();
    }

    /** Whether the last call under way on the present connection changes positions. */
    boolean endsWithAChange() {
        Call<?> last = connection.peekLast();
        return last != null && last.changes();
    }

    /** Lets the next call of the present connection arrive. */
    void arrive() {
        Call<?> next = connection.poll();
        if (next != null) {
            next.arrive();
        }
    }

    /** Lets the last call of the present connection arrive before all others. */
    void arriveLast() {
        connection.removeLast().arrive();
    }

    /** Lets some call of a connection that was lost arrive. */
    void arriveLate(Random random) {
        if (!lost.isEmpty()) {
            Deque<Call<?>> late = lost.get(random.nextInt(lost.size()));
            late.remove().arrive();
            lost.removeIf(Deque::isEmpty);
        }
    }

    /** Loses the connection. */
    void lose() {
        Deque<Call<?>> before = connection;
        connection = new ArrayDeque<>();
        if (!before.isEmpty()) {
            lost.add(before);
            List.copyOf(before).forEach(Call::lose);
        }
    }

    private <T> CompletionStage<T> send(boolean changes, Supplier<CompletionStage<T>> work) {
        Call<T> call = new Call<>(changes, work, new CompletableFuture<>());
        connection.add(call);
        return call.answer();
    }

    @Override
    public CompletionStage<Outcome> commit(String group, Fence fence, Map<CommittedOffsets.Key, Position> positions) {
        return send(true, () -> commits.commit(group, fence, positions));
    }

    @Override
    public CompletionStage<Map<CommittedOffsets.Key, Position>> positions(String group) {
        return send(false, () -> commits.positions(group));
    }

    @Override
    public CompletionStage<Outcome> remove(String group, Fence fence, Collection<CommittedOffsets.Key> keys) {
        return send(true, () -> commits.remove(group, fence, keys));
    }

    @Override
    public CompletionStage<Outcome> removeAll(String group, Fence fence) {
        return send(true, () -> commits.removeAll(group, fence));
    }

    @Override
    public CompletionStage<Claim> claim(String group) {
        return send(false, () -> images.claim(group));
    }

    @Override
    public CompletionStage<Boolean> save(String group, long epoch, Image image) {
        return send(false, () -> images.save(group, epoch, image));
    }

    @Override
    public CompletionStage<Boolean> delete(String group, long epoch) {
        return send(false, () -> images.delete(group, epoch));
    }

    @Override
    public CompletionStage<Long> epoch(String group) {
        return send(false, () -> images.epoch(group));
    }

    @Override
    public CompletionStage<List<String>> groups() {
        return images.groups();
    }
}
