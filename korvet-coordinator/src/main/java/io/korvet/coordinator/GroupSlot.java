package io.korvet.coordinator;

import org.jspecify.annotations.Nullable;

/** What a coordinator holds for one group. Changed only by the group's writer; {@link #listing()} may be read by anybody. */
final class GroupSlot {

    private final String id;
    private final Group group;
    private final GroupOffsets offsets = new GroupOffsets();
    private final long watchedSince;
    private final Waiting waitingForOffsets = new Waiting();
    private final SlotImage image = new SlotImage();
    private long lastMember = OffsetExpiry.NEVER;

    @Nullable
    private volatile GroupListing listing;

    /** A slot for a group of which nothing is known yet; the time is of the wall clock. */
    GroupSlot(String id, Group group, long now) {
        this.id = id;
        this.group = group;
        this.watchedSince = now;
    }

    String id() {
        return id;
    }

    Group group() {
        return group;
    }

    GroupOffsets offsets() {
        return offsets;
    }

    /** The group as of the last event; {@code null} before the first one. */
    @Nullable
    GroupListing listing() {
        return listing;
    }

    /** Those that wait for the positions. */
    Waiting waitingForOffsets() {
        return waitingForOffsets;
    }

    /** How far the group's members are stored. */
    SlotImage image() {
        return image;
    }

    /** All that wait for something are told that it won't come. */
    void endWaiting(GroupError error) {
        waitingForOffsets.end(error);
        image.end(error);
    }

    /** The group had a member at this time of the wall clock. */
    void sawMember(long milliseconds) {
        lastMember = Math.max(lastMember, milliseconds);
    }

    /** After an event: takes note of the state at this time of the wall clock. */
    void note(long now) {
        GroupState state = group.state();
        String type = group.protocolType() == null ? "" : group.protocolType();
        GroupListing before = listing;
        if (before != null && before.state() != GroupState.EMPTY && state == GroupState.EMPTY) {
            sawMember(now);
        }
        if (before == null || before.state() != state || !before.protocolType().equals(type)) {
            listing = new GroupListing(id, type, state);
        }
    }

    /** Whether there is such a group for somebody who asks: it has or had members, or has positions. */
    boolean exists() {
        return group.state() != GroupState.DEAD && (group.isKnown() || !offsets.isEmpty());
    }

    /** Whether nothing would be lost with the slot. */
    boolean isIdle() {
        return waitingForOffsets.isEmpty() && image.isIdle() && offsets.writing() == 0;
    }

    /** Whether the positions may be forgotten. */
    boolean isExpired(long now, GroupSettings settings) {
        return group.state() == GroupState.EMPTY
                && !group.members().hasPending()
                && OffsetExpiry.isDue(offsets.all().values(), lastMember, watchedSince, now, settings);
    }
}
