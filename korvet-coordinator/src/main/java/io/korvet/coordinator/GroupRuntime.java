package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Fence;
import io.korvet.store.CommittedOffsets.Outcome;
import io.korvet.store.CommittedOffsets.Position;
import io.korvet.store.GroupImages;
import io.korvet.store.StoreException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs groups: one event after another for each group, carries out their effects, and keeps their positions in step with the
 * store. Thread-safe; methods that take a {@link GroupSlot} are for the group's writer only.
 */
final class GroupRuntime {

    /** What is done for one request, on the group's writer. */
    interface Action<T> {
        void run(CompletableFuture<T> reply);
    }

    private final ConcurrentHashMap<String, GroupSlot> slots = new ConcurrentHashMap<>();
    private final GroupSettings settings;
    private final GroupServices services;
    private final KeyedSerialExecutor lanes;
    private final StoredGroups stored;
    private volatile boolean closed;

    GroupRuntime(GroupSettings settings, GroupServices services) {
        this.settings = settings;
        this.services = services;
        this.lanes = new KeyedSerialExecutor(services.executor(), settings.maxWaiting());
        this.stored = new StoredGroups(settings, services, new Hooks());
    }

    Collection<GroupSlot> slots() {
        return slots.values();
    }

    /** Runs a request on the group's writer, or answers at once why it isn't. */
    <T> CompletionStage<T> submit(String group, Function<GroupError, T> refusal, Action<T> action) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        boolean accepted = lanes.offer(group, () -> {
            try {
                if (!closed && services.coordinated().test(group)) {
                    action.run(reply);
                } else {
                    reply.complete(refusal.apply(GroupError.NOT_COORDINATOR));
                }
            } catch (RuntimeException failure) {
                reply.completeExceptionally(failure);
            }
        });
        if (!accepted) {
            reply.complete(refusal.apply(GroupError.COORDINATOR_NOT_AVAILABLE));
        }
        return reply;
    }

    private GroupSlot slotOrNew(String group) {
        return slots.computeIfAbsent(
                group,
                id -> new GroupSlot(
                        id,
                        new Group(id, settings, services.memberIds()),
                        services.clock().millis()));
    }

    /** Runs a task with the group's members in memory, or tells why they are not. */
    void withMembers(String group, Consumer<GroupError> refused, Consumer<GroupSlot> task) {
        GroupSlot slot = slotOrNew(group);
        stored.withMembers(slot, refused, () -> run(slot, task));
    }

    /**
     * The same for the event of a member. One that the group doesn't know may come from a coordinator that has taken the
     * group over in the meantime, so the store is asked first.
     */
    void withMembers(String group, Predicate<Group> surprised, Consumer<GroupError> refused, Consumer<GroupSlot> task) {
        withMembers(group, refused, slot -> {
            if (surprised.test(slot.group())) {
                stored.confirmed(slot, refused, () -> run(slot, task));
            } else {
                task.accept(slot);
            }
        });
    }

    /** Runs a task with the group's members and positions in memory, or tells why they are not. */
    void withAll(String group, Consumer<GroupError> refused, Consumer<GroupSlot> task) {
        withMembers(group, refused, slot -> withOffsets(slot, refused, task));
    }

    /** The same for somebody who reads positions; those in memory count only while nobody else has claimed the group. */
    void withAllAsStored(String group, Consumer<GroupError> refused, Consumer<GroupSlot> task) {
        withMembers(group, refused, slot -> {
            if (slot.offsets().isLoaded()) {
                stored.asked(slot, refused, () -> withOffsets(slot, refused, task));
            } else {
                withOffsets(slot, refused, task);
            }
        });
    }

    /** Positions are read after the claim, so that no other coordinator changes what is in memory. */
    private void withOffsets(GroupSlot slot, Consumer<GroupError> refused, Consumer<GroupSlot> task) {
        if (slot.offsets().isLoaded()) {
            run(slot, task);
        } else if (slot.waitingForOffsets().size() >= settings.maxWaiting()) {
            refused.accept(GroupError.COORDINATOR_NOT_AVAILABLE);
        } else {
            slot.waitingForOffsets().add(outcome -> {
                if (outcome == GroupError.NONE) {
                    run(slot, task);
                } else {
                    refused.accept(outcome);
                }
            });
            if (slot.waitingForOffsets().size() == 1) {
                load(slot);
            }
        }
    }

    /** Carries out what a group wants done. */
    void perform(GroupSlot slot, List<Effect> effects) {
        carryOut(slot, effects);
        // What could not be stored before is tried again with any event.
        stored.save(slot);
        GroupListing noted = slot.listing();
        GroupState before = noted == null ? GroupState.EMPTY : noted.state();
        slot.note(services.clock().millis());
        GroupState after = slot.group().state();
        if (after != before) {
            services.observer().stateChanged(slot.id(), before, after);
        }
        dropIfForgotten(slot);
    }

    private void carryOut(GroupSlot slot, List<Effect> effects) {
        for (Effect effect : effects) {
            switch (effect.kind()) {
                case ANSWER -> ((Effect.Answer<?>) effect).deliver();
                case PROMISE -> slot.image().promise((Effect.Promise<?>) effect);
                case SAVE -> {
                    slot.image().changed();
                    stored.save(slot);
                }
                case WAKE_AT -> wake(slot, ((Effect.WakeAt) effect).milliseconds());
                case WRITE_COMMITS -> write(slot, (Effect.WriteCommits) effect);
            }
        }
    }

    /**
     * Changes the group's positions by its claim; afterwards, on the group's writer, tells whether it worked. A claim that
     * could not be stored is stored first, and who wanted the change is told to try again.
     */
    void change(GroupSlot slot, Function<Fence, CompletionStage<Outcome>> change, Consumer<GroupError> outcome) {
        if (slot.offsets().writing() >= settings.maxWaiting()) {
            outcome.accept(GroupError.COORDINATOR_NOT_AVAILABLE);
            return;
        }
        slot.offsets().beginWrite();
        boolean claimed = slot.image().isClaimStored();
        Fence fence = slot.image().nextFence();
        ask(() -> claimed ? change.apply(fence) : services.commits().commit(slot.id(), fence, Map.of()))
                .whenComplete((done, failure) -> lanes.follow(slot.id(), () -> {
                    if (!claimed || done == Outcome.DONE_AND_CLAIMED || (failure != null && isInDoubt(failure))) {
                        slot.offsets().doubt();
                    }
                    if (done != null && done.isDone()) {
                        slot.image().claimStored();
                    }
                    GroupError error = errorOf(done);
                    outcome.accept(claimed || error != GroupError.NONE ? error : GroupError.COORDINATOR_NOT_AVAILABLE);
                    if (error == GroupError.NOT_COORDINATOR && slots.get(slot.id()) == slot) {
                        stored.claimedElsewhere(slot);
                    }
                    slot.offsets().endWrite();
                    dropIfForgotten(slot);
                }));
    }

    /** A change that was overtaken, or whose outcome isn't known, is worth another try here. */
    private static GroupError errorOf(@Nullable Outcome outcome) {
        if (outcome == Outcome.CLAIMED_ELSEWHERE) {
            return GroupError.NOT_COORDINATOR;
        }
        return outcome != null && outcome.isDone() ? GroupError.NONE : GroupError.COORDINATOR_NOT_AVAILABLE;
    }

    /** Ends a group here. */
    void end(GroupSlot slot, GroupError error) {
        if (slots.remove(slot.id(), slot)) {
            services.timers().cancel(slot.id());
            perform(slot, slot.group().end(error));
            slot.endWaiting(error);
        }
    }

    /** Ends, on its writer, a group that isn't coordinated here any more. */
    void endIfForeign(GroupSlot slot) {
        lanes.follow(slot.id(), () -> {
            if (!services.coordinated().test(slot.id())) {
                end(slot, GroupError.NOT_COORDINATOR);
            }
        });
    }

    /** Ends all groups; requests that come after are refused. */
    void close() {
        closed = true;
        slots.values().forEach(slot -> lanes.follow(slot.id(), () -> end(slot, GroupError.NOT_COORDINATOR)));
    }

    /** Drops a group without members, positions and work to do, here and in the store, even if it has had members. */
    void dropIfEmpty(GroupSlot slot) {
        followIfThere(slot, () -> {
            if (isUnused(slot) && slot.isIdle()) {
                change(slot, fence -> deleteImage(slot, fence), outcome -> {
                    if (outcome == GroupError.NONE && isUnused(slot)) {
                        end(slot, GroupError.NOT_COORDINATOR);
                    }
                });
            }
        });
    }

    private static boolean isUnused(GroupSlot slot) {
        return slot.group().state() == GroupState.EMPTY
                && !slot.group().members().hasPending()
                && slot.image().isLoaded()
                && slot.offsets().isLoaded()
                && slot.offsets().isEmpty();
    }

    /** Removes what is stored of a group. */
    void delete(GroupSlot slot, Consumer<GroupError> outcome) {
        change(
                slot,
                fence -> services.commits()
                        .removeAll(slot.id(), fence)
                        .thenCompose(removed -> removed.isDone()
                                ? deleteImage(slot, fence)
                                : CompletableFuture.completedFuture(removed)),
                outcome);
    }

    private CompletionStage<Outcome> deleteImage(GroupSlot slot, Fence fence) {
        return services.images()
                .delete(slot.id(), fence.epoch())
                .thenApply(mine -> mine ? Outcome.DONE : Outcome.CLAIMED_ELSEWHERE);
    }

    /** Runs a task on the group's writer, if the slot is still the group's then. */
    private void followIfThere(GroupSlot slot, Runnable task) {
        lanes.follow(slot.id(), () -> {
            if (slots.get(slot.id()) == slot) {
                task.run();
            }
        });
    }

    private final class Hooks implements StoredGroups.Hooks {

        @Override
        public void follow(GroupSlot slot, Runnable task) {
            followIfThere(slot, task);
        }

        @Override
        public void restored(GroupSlot slot, GroupImages.Image image) {
            carryOut(slot, slot.group().restore(image, services.timers().now()));
            slot.note(services.clock().millis());
            slot.sawMember(image.savedMilliseconds());
        }

        @Override
        public void end(GroupSlot slot) {
            GroupRuntime.this.end(slot, GroupError.NOT_COORDINATOR);
        }

        @Override
        public void settled(GroupSlot slot) {
            dropIfForgotten(slot);
        }
    }

    private void run(GroupSlot slot, Consumer<GroupSlot> task) {
        task.accept(slot);
        dropIfForgotten(slot);
    }

    private void dropIfForgotten(GroupSlot slot) {
        if (slot.isIdle() && !slot.exists() && slots.remove(slot.id(), slot)) {
            services.timers().cancel(slot.id());
        }
    }

    private void wake(GroupSlot slot, long milliseconds) {
        services.timers()
                .wake(
                        slot.id(),
                        milliseconds,
                        () -> followIfThere(
                                slot,
                                () -> perform(
                                        slot,
                                        slot.group().passTime(services.timers().now()))));
    }

    private void write(GroupSlot slot, Effect.WriteCommits write) {
        change(slot, fence -> services.commits().commit(slot.id(), fence, write.positions()), outcome -> {
            if (outcome == GroupError.NONE) {
                slot.offsets().put(write.positions());
            }
            write.reply().complete(new CommitResult(outcome, write.oversized()));
            if (outcome == GroupError.NONE) {
                services.observer().committed(slot.id(), write.positions());
            }
        });
    }

    private void load(GroupSlot slot) {
        int doubts = slot.offsets().doubts();
        ask(() -> services.commits().positions(slot.id()))
                .whenComplete((stored, failure) -> lanes.follow(slot.id(), () -> loaded(slot, stored, doubts)));
    }

    private void loaded(GroupSlot slot, @Nullable Map<CommittedOffsets.Key, Position> stored, int doubts) {
        if (slots.get(slot.id()) != slot) {
            return;
        }
        if (stored == null) {
            slot.waitingForOffsets().end(GroupError.COORDINATOR_LOAD_IN_PROGRESS);
            dropIfForgotten(slot);
        } else if (slot.offsets().load(stored, doubts)) {
            slot.waitingForOffsets().end(GroupError.NONE);
            dropIfForgotten(slot);
        } else {
            load(slot);
        }
    }

    /** A call that fails by its stage alone. */
    static <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> question) {
        try {
            return question.get();
        } catch (RuntimeException failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    private static boolean isInDoubt(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return !(cause instanceof StoreException refused) || refused.kind() == StoreException.Kind.OUTCOME_UNKNOWN;
    }
}
