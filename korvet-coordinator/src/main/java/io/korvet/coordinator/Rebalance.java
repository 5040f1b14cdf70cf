package io.korvet.coordinator;

import io.korvet.coordinator.Deadlines.Kind;
import io.korvet.coordinator.JoinResult.JoinedMember;
import io.korvet.store.GroupImages;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The state of a group and how it moves from one generation to the next.
 *
 * <p>A rebalance has two phases. In the first, members join: it ends when all have, or at a deadline that leaves the missing
 * ones out, and begins a new generation. In the second, members ask for their assignment and wait until the leader brings it.
 * Not thread-safe: belongs to its group.
 */
final class Rebalance {

    /** Keeps a group whose members don't answer, and ask for no time to rejoin, from being woken all the time. */
    private static final int LEAST_RETRY = 1_000;

    private final String group;
    private final int initialDelay;
    private final Members members;
    private final Deadlines deadlines;
    private final Outbox outbox;
    private final Set<String> unsynced = new LinkedHashSet<>();
    private GroupState state = GroupState.EMPTY;
    private int generation;
    private boolean changed;
    private boolean initial;
    private boolean grownDuringDelay;
    private int delay;
    private int delayLeft;

    @Nullable
    private String protocolType;

    @Nullable
    private String protocolName;

    Rebalance(String group, int initialDelay, Members members, Deadlines deadlines, Outbox outbox) {
        this.group = group;
        this.initialDelay = initialDelay;
        this.members = members;
        this.deadlines = deadlines;
        this.outbox = outbox;
    }

    GroupState state() {
        return state;
    }

    int generation() {
        return generation;
    }

    @Nullable
    String protocolType() {
        return protocolType;
    }

    @Nullable
    String protocolName() {
        return protocolName;
    }

    /**
     * Whether, since it was asked last, something has changed that another coordinator must know. What comes before the first
     * generation is worth nothing to it.
     */
    boolean takeChange() {
        boolean taken = changed && generation > 0 && state != GroupState.DEAD;
        changed = false;
        return taken;
    }

    /** The group for another coordinator; members that have never been in a generation are left out. */
    GroupImages.Image image(long wallClock) {
        GroupImages.State stored = switch (state) {
            case EMPTY, DEAD -> GroupImages.State.EMPTY;
            case PREPARING_REBALANCE, COMPLETING_REBALANCE -> GroupImages.State.REBALANCING;
            case STABLE -> GroupImages.State.STABLE;
        };
        return new GroupImages.Image(
                stored,
                generation,
                protocolType,
                protocolName,
                members.leader(),
                wallClock,
                members.all().stream()
                        .filter(member -> !member.isFresh())
                        .map(Member::stored)
                        .toList());
    }

    /**
     * Goes on where another coordinator stopped. Each member has a whole session from now on. A generation that was being
     * formed is formed anew: members are told to join again and keep their ids.
     */
    void restore(GroupImages.Image image, long now) {
        generation = image.generation();
        protocolType = image.protocolType();
        for (GroupImages.Member stored : image.members()) {
            Member member = new Member(stored);
            members.add(member);
            extendSession(member, now);
        }
        if (members.isEmpty()) {
            return;
        }
        members.lead(image.leader());
        protocolName = image.protocol();
        if (image.state() == GroupImages.State.STABLE && members.agreeOn(protocolName)) {
            state = GroupState.STABLE;
        } else {
            state = GroupState.PREPARING_REBALANCE;
            deadlines.set(Kind.JOIN, now + Math.max(members.rebalanceTimeout(), LEAST_RETRY));
        }
    }

    /** Takes in a member whose join waits; the first one decides what kind of group it is. */
    void add(Member member, String type) {
        if (members.isEmpty()) {
            protocolType = type;
        }
        if (state == GroupState.PREPARING_REBALANCE && initial) {
            grownDuringDelay = true;
        }
        members.add(member);
    }

    /** Takes out a member and its timers; its waiting request is answered. */
    void remove(Member member) {
        answerWaiting(member, GroupError.UNKNOWN_MEMBER_ID);
        changed = true;
        members.remove(member);
        unsynced.remove(member.id());
        deadlines.cancelSession(member.id());
    }

    /** Puts a static member that has come back in the place of its former self, whose waiting request is fenced. */
    void replace(Member before, Member after, long now) {
        answerWaiting(before, GroupError.FENCED_INSTANCE_ID);
        changed = true;
        deadlines.cancelSession(before.id());
        members.replace(before, after);
        if (unsynced.remove(before.id())) {
            unsynced.add(after.id());
        }
        extendSession(after, now);
    }

    void extendSession(Member member, long now) {
        deadlines.setSession(member.id(), now + member.sessionTimeout());
    }

    /** A member has asked for its assignment. */
    void synced(Member member) {
        unsynced.remove(member.id());
        if (unsynced.isEmpty()) {
            deadlines.cancel(Kind.SYNC);
        }
    }

    /** The leader has brought the assignment: everybody who waits for it gets theirs. */
    void stabilise(SyncRequest request, long now) {
        become(GroupState.STABLE);
        for (Member member : members.all()) {
            member.assign(request.assignments().getOrDefault(member.id(), Member.NOTHING));
            CompletableFuture<SyncResult> waiting = member.takeSync();
            if (waiting != null) {
                outbox.promise(waiting, synced(member.assignment()));
                extendSession(member, now);
            }
        }
    }

    /** The membership has changed: begins a rebalance, or ends the first phase of one if nobody is missing any more. */
    void membersChanged(long now) {
        switch (state) {
            case EMPTY -> {
                if (!members.isEmpty()) {
                    prepare(now);
                }
            }
            case STABLE, COMPLETING_REBALANCE -> prepare(now);
            case PREPARING_REBALANCE -> {
                if (!initial) {
                    completeJoinIfAllThere(now);
                }
            }
            case DEAD -> {}
        }
    }

    /** The time an empty group waits for more members is over, unless some have come since it began. */
    void endInitialDelay(long now) {
        if (grownDuringDelay && delayLeft > 0) {
            grownDuringDelay = false;
            int next = Math.min(initialDelay, delayLeft);
            delayLeft = Math.max(delayLeft - delay, 0);
            delay = next;
            deadlines.set(Kind.INITIAL_JOIN, now + next);
        } else {
            completeJoin(now);
        }
    }

    void completeJoinIfAllThere(long now) {
        if (state == GroupState.PREPARING_REBALANCE && members.allWaitForJoin()) {
            completeJoin(now);
        }
    }

    /** Leaves out dynamic members that have not joined and begins the next generation with the others. */
    void completeJoin(long now) {
        deadlines.cancel(Kind.INITIAL_JOIN);
        deadlines.cancel(Kind.JOIN);
        for (Member member : List.copyOf(members.all())) {
            if (!member.waitsForJoin() && !member.isStatic()) {
                remove(member);
            }
        }
        if (!members.isEmpty() && !members.electLeader()) {
            deadlines.set(Kind.JOIN, now + Math.max(members.rebalanceTimeout(), LEAST_RETRY));
            return;
        }
        generation++;
        unsynced.clear();
        if (members.isEmpty()) {
            protocolName = null;
            become(GroupState.EMPTY);
            return;
        }
        protocolName = members.choose();
        become(GroupState.COMPLETING_REBALANCE);
        for (Member member : members.all()) {
            CompletableFuture<JoinResult> waiting = member.takeJoin();
            if (waiting != null) {
                outbox.promise(waiting, joined(member));
            }
            member.settle();
            extendSession(member, now);
            unsynced.add(member.id());
        }
        deadlines.set(Kind.SYNC, now + members.rebalanceTimeout());
    }

    /** Members that have not asked for their assignment in time are out. */
    void dropUnsynced(long now) {
        if (unsynced.isEmpty()) {
            return;
        }
        for (String memberId : List.copyOf(unsynced)) {
            Member member = members.byId(memberId);
            if (member != null) {
                remove(member);
            }
        }
        prepare(now);
    }

    /** Nothing comes after this; whoever waits is answered with the error. */
    void end(GroupError error) {
        for (Member member : List.copyOf(members.all())) {
            answerWaiting(member, error);
            members.remove(member);
        }
        unsynced.clear();
        deadlines.clear();
        become(GroupState.DEAD);
    }

    /** What a member of the present generation is told when it joins. */
    JoinResult joined(Member member) {
        List<JoinedMember> roster = members.leads(member) ? roster() : List.of();
        return new JoinResult(
                GroupError.NONE, member.id(), generation, protocolType, protocolName, leader(), false, roster);
    }

    SyncResult synced(byte[] assignment) {
        return new SyncResult(GroupError.NONE, protocolType, protocolName, assignment);
    }

    List<JoinedMember> roster() {
        return members.all().stream().map(member -> member.joined(protocolName)).toList();
    }

    String leader() {
        String leader = members.leader();
        return leader == null ? "" : leader;
    }

    private void prepare(long now) {
        for (Member member : members.all()) {
            if (state == GroupState.COMPLETING_REBALANCE) {
                member.assign(Member.NOTHING);
            }
            CompletableFuture<SyncResult> waiting = member.takeSync();
            if (waiting != null) {
                outbox.answer(waiting, SyncResult.refused(GroupError.REBALANCE_IN_PROGRESS));
                extendSession(member, now);
            }
        }
        unsynced.clear();
        deadlines.cancel(Kind.SYNC);
        initial = state == GroupState.EMPTY;
        become(GroupState.PREPARING_REBALANCE);
        if (initial) {
            grownDuringDelay = false;
            delay = initialDelay;
            delayLeft = Math.max(members.rebalanceTimeout() - delay, 0);
            deadlines.set(Kind.INITIAL_JOIN, now + delay);
        } else if (members.allWaitForJoin()) {
            completeJoin(now);
        } else {
            deadlines.set(Kind.JOIN, now + members.rebalanceTimeout());
        }
    }

    private void answerWaiting(Member member, GroupError error) {
        CompletableFuture<JoinResult> join = member.takeJoin();
        if (join != null) {
            outbox.refuse(join, error, error == GroupError.UNKNOWN_MEMBER_ID ? "" : member.id());
        }
        CompletableFuture<SyncResult> sync = member.takeSync();
        if (sync != null) {
            outbox.answer(sync, SyncResult.refused(error));
        }
    }

    private void become(GroupState next) {
        if (!state.successors().contains(next)) {
            throw new IllegalStateException("group " + group + " is " + state + " and can't become " + next);
        }
        state = next;
        changed = true;
    }
}
