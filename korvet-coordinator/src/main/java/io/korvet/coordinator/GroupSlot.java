package io.korvet.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a coordinator holds for one group. Changed only by the group's writer; {@link #listing()} may be read by anybody. */
final class GroupSlot {

    private final String id;
    private final Group group;
    private final GroupOffsets offsets = new GroupOffsets();
    private final long watchedSince;
    private List<Consumer<GroupError>> waitingForLoad = new ArrayList<>();
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

    /** Those that wait for the positions; told {@link GroupError#NONE} when they are there. */
    int waitingForLoad() {
        return waitingForLoad.size();
    }

    void waitForLoad(Consumer<GroupError> task) {
        waitingForLoad.add(task);
    }

    void endWaiting(GroupError outcome) {
        List<Consumer<GroupError>> waiting = waitingForLoad;
        waitingForLoad = new ArrayList<>();
        waiting.forEach(task -> task.accept(outcome));
    }

    /** After an event: takes note of the state at this time of the wall clock. */
    void note(long now) {
        GroupState state = group.state();
        String type = group.protocolType() == null ? "" : group.protocolType();
        GroupListing before = listing;
        if (before != null && before.state() != GroupState.EMPTY && state == GroupState.EMPTY) {
            lastMember = now;
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
        return waitingForLoad.isEmpty() && offsets.writing() == 0;
    }

    /** Whether the positions may be forgotten. */
    boolean isExpired(long now, GroupSettings settings) {
        return group.state() == GroupState.EMPTY
                && !group.members().hasPending()
                && OffsetExpiry.isDue(offsets.all().values(), lastMember, watchedSince, now, settings);
    }
}
