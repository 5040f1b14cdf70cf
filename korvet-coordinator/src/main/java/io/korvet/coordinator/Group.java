package io.korvet.coordinator;

import io.korvet.coordinator.Deadlines.Deadline;
import io.korvet.coordinator.LeaveRequest.Leaver;
import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Position;
import io.korvet.store.GroupImages;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The classic Kafka group protocol as a deterministic machine: each event, given with the time of a clock that never goes
 * back, changes the state and comes out as effects. There are no threads, clocks, stores or random numbers in it; a reply is
 * only a handle that comes back in an {@link Effect.Answer} or {@link Effect.Promise}, exactly once. Not thread-safe: one writer per group.
 */
final class Group {

    private final GroupSettings settings;
    private final MemberIds memberIds;
    private final Members members = new Members();
    private final Deadlines deadlines = new Deadlines();
    private final Outbox outbox = new Outbox();
    private final Rebalance rebalance;
    private final Admission admission;

    Group(String id, GroupSettings settings, MemberIds memberIds) {
        this.settings = settings;
        this.memberIds = memberIds;
        this.rebalance = new Rebalance(id, settings.initialRebalanceDelay(), members, deadlines, outbox);
        this.admission = new Admission(settings, members, rebalance);
    }

    GroupState state() {
        return rebalance.state();
    }

    int generation() {
        return rebalance.generation();
    }

    @Nullable
    String protocolType() {
        return rebalance.protocolType();
    }

    @Nullable
    String protocolName() {
        return rebalance.protocolName();
    }

    Members members() {
        return members;
    }

    Deadlines deadlines() {
        return deadlines;
    }

    /** Whether the group has, or is about to have, or has had members. */
    boolean isKnown() {
        return generation() > 0 || state() != GroupState.EMPTY || members.hasPending();
    }

    /** Whether somebody speaks of a member or a generation that this group has not had. */
    boolean isSurprisedBy(String memberId, int claimedGeneration) {
        return admission.isSurprising(memberId, claimedGeneration);
    }

    /** What another coordinator needs to go on with the group; the time is of the wall clock. */
    GroupImages.Image image(long wallClock) {
        return rebalance.image(wallClock);
    }

    /** Takes the group over from another coordinator; only for a group that has had no event yet. */
    List<Effect> restore(GroupImages.Image image, long now) {
        rebalance.restore(image, now);
        return drain();
    }

    /** A member wants to be in the next generation, or to know the present one again. */
    List<Effect> join(JoinRequest request, CompletableFuture<JoinResult> reply, long now) {
        Member member = members.byId(request.memberId());
        if (state() == GroupState.DEAD) {
            outbox.refuse(reply, GroupError.COORDINATOR_NOT_AVAILABLE, request.memberId());
        } else if (!admission.hasRoomFor(member)) {
            outbox.refuse(reply, GroupError.GROUP_MAX_SIZE_REACHED, "");
            if (member != null) {
                rebalance.remove(member);
                rebalance.membersChanged(now);
            } else {
                forgetPending(request.memberId());
            }
        } else if (!admission.fits(request)) {
            outbox.refuse(reply, GroupError.INCONSISTENT_GROUP_PROTOCOL, request.memberId());
        } else if (request.memberId().isEmpty()) {
            joinWithoutId(request, reply, now);
        } else if (members.isPending(request.memberId()) && request.instanceId() == null) {
            addMember(request.memberId(), request, reply, now);
        } else {
            GroupError error = members.check(request.memberId(), request.instanceId());
            if (error != GroupError.NONE || member == null) {
                outbox.refuse(
                        reply, error == GroupError.NONE ? GroupError.UNKNOWN_MEMBER_ID : error, request.memberId());
            } else {
                joinAgain(member, request, reply, now);
            }
        }
        return drain();
    }

    /** A member wants its assignment; the leader brings everybody's. */
    List<Effect> sync(SyncRequest request, CompletableFuture<SyncResult> reply, long now) {
        GroupError error = admission.sync(request);
        Member member = members.byId(request.memberId());
        if (error != GroupError.NONE || member == null) {
            outbox.answer(reply, SyncResult.refused(error));
            return drain();
        }
        rebalance.synced(member);
        if (state() == GroupState.STABLE) {
            outbox.promise(reply, rebalance.synced(member.assignment()));
            return drain();
        }
        CompletableFuture<SyncResult> before = member.takeSync();
        member.waitForSync(reply);
        if (before != null) {
            outbox.answer(before, SyncResult.refused(GroupError.REBALANCE_IN_PROGRESS));
        }
        if (members.leads(member)) {
            rebalance.stabilise(request, now);
        }
        return drain();
    }

    /** A member is alive. */
    List<Effect> heartbeat(HeartbeatRequest request, CompletableFuture<GroupError> reply, long now) {
        GroupError error = admission.member(request.memberId(), request.instanceId(), request.generation());
        Member member = members.byId(request.memberId());
        if (error == GroupError.NONE && member != null) {
            rebalance.extendSession(member, now);
            if (state() == GroupState.PREPARING_REBALANCE) {
                error = GroupError.REBALANCE_IN_PROGRESS;
            }
        }
        outbox.answer(reply, error);
        return drain();
    }

    /** Members leave. */
    List<Effect> leave(LeaveRequest request, CompletableFuture<LeaveResult> reply, long now) {
        if (state() == GroupState.DEAD) {
            outbox.answer(reply, LeaveResult.refused(GroupError.COORDINATOR_NOT_AVAILABLE));
            return drain();
        }
        List<GroupError> outcomes = new ArrayList<>();
        for (Leaver leaver : request.members()) {
            outcomes.add(leave(leaver));
        }
        outbox.answer(reply, new LeaveResult(GroupError.NONE, outcomes));
        if (outcomes.contains(GroupError.NONE)) {
            rebalance.membersChanged(now);
        }
        return drain();
    }

    /** Somebody commits positions; what passes comes out as one write. */
    List<Effect> commit(
            CommitRequest request, CompletableFuture<CommitResult> reply, long now, long commitMilliseconds) {
        GroupError error = admission.commit(request);
        if (error != GroupError.NONE) {
            outbox.answer(reply, CommitResult.refused(error));
            return drain();
        }
        Member member = members.byId(request.memberId());
        if (member != null && (state() == GroupState.STABLE || state() == GroupState.PREPARING_REBALANCE)) {
            rebalance.extendSession(member, now);
        }
        Map<CommittedOffsets.Key, Position> positions = new LinkedHashMap<>();
        Set<CommittedOffsets.Key> oversized = new LinkedHashSet<>();
        for (CommitRequest.Commit commit : request.commits()) {
            if (commit.metadata().length() > settings.maxMetadataLength()) {
                oversized.add(commit.key());
            } else {
                positions.put(commit.key(), commit.at(commitMilliseconds));
            }
        }
        if (positions.isEmpty()) {
            outbox.answer(reply, new CommitResult(GroupError.NONE, oversized));
        } else {
            outbox.add(new Effect.WriteCommits(positions, oversized, reply));
        }
        return drain();
    }

    /** Time has passed: whatever was due by now happens. */
    List<Effect> passTime(long now) {
        for (Deadline due = deadlines.takeDue(now); due != null; due = deadlines.takeDue(now)) {
            String member = due.member();
            switch (due.kind()) {
                case INITIAL_JOIN -> rebalance.endInitialDelay(now);
                case JOIN -> rebalance.completeJoin(now);
                case SYNC -> rebalance.dropUnsynced(now);
                case SESSION -> {
                    if (member != null) {
                        expireSession(member, now);
                    }
                }
            }
        }
        deadlines.rearm();
        return drain();
    }

    /** The group ends here: it was deleted, or is coordinated elsewhere. Whoever waits is answered with the error. */
    List<Effect> end(GroupError error) {
        rebalance.end(error);
        return drain();
    }

    private void joinWithoutId(JoinRequest request, CompletableFuture<JoinResult> reply, long now) {
        String instanceId = request.instanceId();
        String newId = memberIds.next(instanceId == null ? request.clientId() : instanceId);
        Member holder = instanceId == null ? null : members.byInstance(instanceId);
        if (holder != null) {
            replaceStatic(holder, newId, request, reply, now);
        } else if (instanceId == null && request.memberIdRequired()) {
            members.addPending(newId);
            deadlines.setSession(newId, now + request.sessionTimeout());
            outbox.refuse(reply, GroupError.MEMBER_ID_REQUIRED, newId);
        } else {
            addMember(newId, request, reply, now);
        }
    }

    private void addMember(String memberId, JoinRequest request, CompletableFuture<JoinResult> reply, long now) {
        Member member = new Member(memberId, request);
        rebalance.add(member, request.protocolType());
        member.waitForJoin(reply);
        deadlines.setSession(memberId, now + settings.newMemberTimeout());
        rebalance.membersChanged(now);
    }

    private void joinAgain(Member member, JoinRequest request, CompletableFuture<JoinResult> reply, long now) {
        boolean unchanged = member.protocols().equals(request.protocols());
        boolean answeredAtOnce = switch (state()) {
            case PREPARING_REBALANCE -> false;
            case COMPLETING_REBALANCE -> unchanged;
            case STABLE -> unchanged && !members.leads(member);
            case EMPTY, DEAD -> throw new IllegalStateException("member in a group that is " + state());
        };
        if (answeredAtOnce) {
            outbox.promise(reply, rebalance.joined(member));
        } else {
            waitForJoin(member, request, reply);
            rebalance.membersChanged(now);
        }
    }

    /** A static member is back under a new id; a stable group goes on undisturbed if its protocol stays the same. */
    private void replaceStatic(
            Member before, String newId, JoinRequest request, CompletableFuture<JoinResult> reply, long now) {
        String leaderBefore = rebalance.leader();
        Member after = new Member(newId, request, before);
        rebalance.replace(before, after, now);
        if (state() == GroupState.STABLE && members.choose().equals(protocolName())) {
            outbox.promise(reply, unchanged(after, request, leaderBefore));
        } else {
            after.waitForJoin(reply);
            rebalance.membersChanged(now);
        }
    }

    /** A client that would make an assignment as leader must not learn that it is one: it hears of the one before. */
    private JoinResult unchanged(Member member, JoinRequest request, String leaderBefore) {
        boolean skips = request.skipsAssignment() && members.leads(member);
        return new JoinResult(
                GroupError.NONE,
                member.id(),
                generation(),
                protocolType(),
                protocolName(),
                request.skipsAssignment() ? rebalance.leader() : leaderBefore,
                skips,
                skips ? rebalance.roster() : List.of());
    }

    private void waitForJoin(Member member, JoinRequest request, CompletableFuture<JoinResult> reply) {
        member.update(request);
        CompletableFuture<JoinResult> before = member.takeJoin();
        member.waitForJoin(reply);
        if (before != null) {
            outbox.refuse(before, GroupError.REBALANCE_IN_PROGRESS, member.id());
        }
    }

    private void expireSession(String memberId, long now) {
        Member member = members.byId(memberId);
        if (member == null) {
            members.removePending(memberId);
            rebalance.completeJoinIfAllThere(now);
        } else if (member.isFresh() || !member.waits()) {
            rebalance.remove(member);
            if (state() == GroupState.PREPARING_REBALANCE) {
                rebalance.completeJoinIfAllThere(now);
            } else {
                rebalance.membersChanged(now);
            }
        }
    }

    private GroupError leave(Leaver leaver) {
        String instanceId = leaver.instanceId();
        if (leaver.memberId().isEmpty()) {
            Member holder = instanceId == null ? null : members.byInstance(instanceId);
            if (holder == null) {
                return GroupError.UNKNOWN_MEMBER_ID;
            }
            rebalance.remove(holder);
            return GroupError.NONE;
        }
        if (members.isPending(leaver.memberId())) {
            forgetPending(leaver.memberId());
            return GroupError.NONE;
        }
        GroupError error = members.check(leaver.memberId(), instanceId);
        Member member = members.byId(leaver.memberId());
        if (error == GroupError.NONE && member != null) {
            rebalance.remove(member);
        }
        return error;
    }

    private void forgetPending(String memberId) {
        if (members.isPending(memberId)) {
            members.removePending(memberId);
            deadlines.cancelSession(memberId);
        }
    }

    private List<Effect> drain() {
        if (rebalance.takeChange()) {
            outbox.addFirst(Effect.Save.NOW);
        }
        long alarm = deadlines.alarmToSet();
        if (alarm != Deadlines.NEVER) {
            outbox.add(new Effect.WakeAt(alarm));
        }
        return outbox.drain();
    }
}
