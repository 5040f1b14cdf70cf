package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets.Fence;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * How far a group's members are stored: by which right, what has changed since, and which answers wait for it. One write at
 * a time; what changes meanwhile is written by the next one. Not thread-safe: belongs to its group.
 */
final class SlotImage {

    /** After a claim or a confirmation this long nobody is asked whether the group has gone on elsewhere. */
    private static final long CONFIRMED_FOR = 1_000;

    private static final int MAX_HELD = 10_000;
    private static final long FIRST_RETRY = 1_000;
    private static final long LAST_RETRY = 10_000;
    private static final long NEVER = Long.MIN_VALUE;

    private record Held(long untilChange, Effect.Promise<?> promise) {}

    private final Waiting waiting = new Waiting();
    private final Waiting confirming = new Waiting();
    private final Queue<Held> held = new ArrayDeque<>();
    private boolean loaded;
    private long epoch;
    private boolean claimStored;
    private long fences;
    private long confirmedAt;
    private long changes;
    private long stored;
    private long underWay;
    private boolean oversized;
    private long retryAt = NEVER;
    private long retryAfter = FIRST_RETRY;

    /** Those that wait for the group's members to be read. */
    Waiting waiting() {
        return waiting;
    }

    /** Those that wait to hear whether the group has gone on elsewhere. */
    Waiting confirming() {
        return confirming;
    }

    boolean isLoaded() {
        return loaded;
    }

    /** What the store's claim of the group gave. */
    long epoch() {
        return epoch;
    }

    /** The right to the next change of the group's positions. */
    Fence nextFence() {
        fences++;
        return new Fence(epoch, fences);
    }

    /** Whether nobody who claimed the group before can change its positions any more. */
    boolean isClaimStored() {
        return claimStored;
    }

    void claimStored() {
        claimStored = true;
    }

    /** The group was claimed and its members are in memory. */
    void loaded(long claimedEpoch, boolean isStored, long now) {
        epoch = claimedEpoch;
        claimStored = isStored;
        loaded = true;
        confirmedAt = now;
    }

    /** The group has not gone on elsewhere, as far as anybody knows. */
    void confirmed(long now) {
        confirmedAt = now;
    }

    boolean isConfirmed(long now) {
        return now - confirmedAt < CONFIRMED_FOR;
    }

    void changed() {
        changes++;
    }

    boolean isFailing() {
        return retryAt != NEVER;
    }

    /** Whether nothing is being read or written, and nobody waits. */
    boolean isIdle() {
        return waiting.isEmpty() && confirming.isEmpty() && underWay == 0 && held.isEmpty();
    }

    /** Begins a write if there is something to write and no other is under way; false for nothing to do. */
    boolean beginSave(long now) {
        if (stored == changes || underWay != 0 || now < retryAt) {
            return false;
        }
        underWay = changes;
        return true;
    }

    /** Whether the group has become too large to be stored; false when it was too large before. */
    boolean hasOutgrown(boolean tooLarge) {
        boolean outgrown = tooLarge && !oversized;
        oversized = tooLarge;
        return outgrown;
    }

    /** The write was done. */
    void saved() {
        stored = underWay;
        retryAt = NEVER;
        retryAfter = FIRST_RETRY;
        endSave();
    }

    /** The write failed; it is tried again with an event some time later. */
    void failed(long now) {
        retryAt = now + retryAfter;
        retryAfter = Math.min(2 * retryAfter, LAST_RETRY);
        endSave();
    }

    /** Delivers an answer when all changes so far are stored; at once while the store takes nothing. */
    void promise(Effect.Promise<?> promise) {
        if (stored == changes || (isFailing() && underWay == 0)) {
            promise.deliver();
        } else if (held.size() >= MAX_HELD) {
            promise.refuse(GroupError.COORDINATOR_NOT_AVAILABLE);
        } else {
            held.add(new Held(changes, promise));
        }
    }

    /** The group ends here: all that wait are refused. */
    void end(GroupError error) {
        waiting.end(error);
        confirming.end(error);
        for (Held next = held.poll(); next != null; next = held.poll()) {
            next.promise().refuse(error);
        }
    }

    private void endSave() {
        long ended = underWay;
        underWay = 0;
        for (Held next = held.peek();
                next != null && (isFailing() || next.untilChange() <= ended);
                next = held.peek()) {
            held.remove();
            next.promise().deliver();
        }
    }
}
