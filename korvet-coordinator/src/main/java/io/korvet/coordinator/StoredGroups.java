package io.korvet.coordinator;

import io.korvet.store.GroupImages;
import io.korvet.store.StoreException;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps groups in step with their images in the store: reads one before the group's first event, writes it after changes,
 * and lets go of a group that another coordinator has claimed. All methods are for the group's writer only.
 */
final class StoredGroups {

    /** The greatest image that is stored. */
    static final long MAX_BYTES = 1 << 20;

    /** What is to be done with a group's slot. */
    interface Hooks {
        /** Runs a task on the group's writer, if the slot is still the group's. */
        void follow(GroupSlot slot, Runnable task);

        /** Carries out what a group wants done after it was restored. */
        void restored(GroupSlot slot, GroupImages.Image image);

        /** Lets go of a group that is coordinated elsewhere. */
        void end(GroupSlot slot);

        /** Something has ended: a slot that nobody needs any more may go. */
        void settled(GroupSlot slot);
    }

    private final GroupSettings settings;
    private final GroupServices services;
    private final Hooks hooks;

    StoredGroups(GroupSettings settings, GroupServices services, Hooks hooks) {
        this.settings = settings;
        this.services = services;
        this.hooks = hooks;
    }

    /** Runs a task with the group's members in memory, or tells why they are not. */
    void withMembers(GroupSlot slot, Consumer<GroupError> refused, Runnable task) {
        if (slot.image().isLoaded()) {
            task.run();
        } else {
            await(slot.image().waiting(), refused, task, () -> claim(slot));
        }
    }

    /** Runs a task when it is certain, as far as that can be, that the group has not gone on elsewhere. */
    void confirmed(GroupSlot slot, Consumer<GroupError> refused, Runnable task) {
        if (slot.image().isConfirmed(now())) {
            task.run();
            return;
        }
        Consumer<GroupError> unlessAway = error -> {
            if (error == GroupError.COORDINATOR_LOAD_IN_PROGRESS) {
                task.run();
            } else {
                refused.accept(error);
            }
        };
        asked(slot, unlessAway, task);
    }

    /** Runs a task when the store has said that the group has not gone on elsewhere. */
    void asked(GroupSlot slot, Consumer<GroupError> refused, Runnable task) {
        await(slot.image().confirming(), refused, task, () -> confirm(slot));
    }

    /** Writes the group if it has changed. */
    void save(GroupSlot slot) {
        SlotImage state = slot.image();
        if (slot.group().state() == GroupState.DEAD || !state.beginSave(now())) {
            return;
        }
        GroupImages.Image image = slot.group().image(services.clock().millis());
        boolean oversized = image.bytes() > MAX_BYTES;
        GroupImages.Image written = oversized ? image.withoutMembers() : image;
        GroupRuntime.ask(() -> services.images().save(slot.id(), state.epoch(), written))
                .whenComplete((mine, failure) -> hooks.follow(slot, () -> {
                    if (mine == null) {
                        state.failed(now());
                        tell(slot, ImageEvent.UNSAVED);
                    } else if (mine) {
                        state.saved();
                        tell(slot, state.hasOutgrown(oversized) ? ImageEvent.OVERSIZED : ImageEvent.SAVED);
                    } else {
                        claimedElsewhere(slot);
                        return;
                    }
                    save(slot);
                    hooks.settled(slot);
                }));
    }

    /** The group was claimed by another coordinator, or by a later life of this one. */
    void claimedElsewhere(GroupSlot slot) {
        tell(slot, ImageEvent.CLAIMED);
        hooks.end(slot);
    }

    private void await(Waiting waiting, Consumer<GroupError> refused, Runnable task, Runnable begin) {
        if (waiting.size() >= settings.maxWaiting()) {
            refused.accept(GroupError.COORDINATOR_NOT_AVAILABLE);
            return;
        }
        waiting.add(outcome -> {
            if (outcome == GroupError.NONE) {
                task.run();
            } else {
                refused.accept(outcome);
            }
        });
        if (waiting.size() == 1) {
            begin.run();
        }
    }

    private void claim(GroupSlot slot) {
        GroupRuntime.ask(() -> services.images().claim(slot.id()))
                .whenComplete((claim, failure) -> hooks.follow(slot, () -> {
                    if (claim != null) {
                        claimed(slot, claim);
                        slot.image().waiting().end(GroupError.NONE);
                    } else if (isFinal(failure)) {
                        // What the store will not give can't be waited for: the members join again.
                        slot.image().loaded(0, false, now());
                        tell(slot, ImageEvent.UNSAVED);
                        slot.image().waiting().end(GroupError.NONE);
                    } else {
                        slot.image().waiting().end(GroupError.COORDINATOR_LOAD_IN_PROGRESS);
                    }
                    hooks.settled(slot);
                }));
    }

    private void claimed(GroupSlot slot, GroupImages.Claim claim) {
        slot.image().loaded(claim.epoch(), claim.isStored(), now());
        GroupImages.Image image = claim.image();
        if (image != null) {
            hooks.restored(slot, image);
            if (!image.members().isEmpty()) {
                tell(slot, ImageEvent.RESTORED);
            }
        }
    }

    private void confirm(GroupSlot slot) {
        GroupRuntime.ask(() -> services.images().epoch(slot.id()))
                .whenComplete((epoch, failure) -> hooks.follow(slot, () -> {
                    SlotImage state = slot.image();
                    if (epoch != null && epoch > state.epoch()) {
                        claimedElsewhere(slot);
                    } else {
                        if (epoch != null && (epoch < state.epoch() || !state.isClaimStored())) {
                            // Others may have changed positions since they were read.
                            slot.offsets().doubt();
                        }
                        state.confirmed(now());
                        state.confirming()
                                .end(epoch == null ? GroupError.COORDINATOR_LOAD_IN_PROGRESS : GroupError.NONE);
                    }
                    hooks.settled(slot);
                }));
    }

    private void tell(GroupSlot slot, ImageEvent event) {
        services.observer().image(slot.id(), event);
    }

    private long now() {
        return services.timers().now();
    }

    /** Whether it is of no use to ask again: the key is of another type, or reading it is forbidden. */
    private static boolean isFinal(@Nullable Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof StoreException refused
                && (refused.kind() == StoreException.Kind.REFUSED || refused.kind() == StoreException.Kind.CORRUPT);
    }
}
