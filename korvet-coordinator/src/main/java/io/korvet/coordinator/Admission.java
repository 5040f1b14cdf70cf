package io.korvet.coordinator;

import org.jspecify.annotations.Nullable;

/** Decides whether a request may pass, as its group stands. Changes nothing. Not thread-safe: belongs to its group. */
final class Admission {

    private final GroupSettings settings;
    private final Members members;
    private final Rebalance rebalance;

    Admission(GroupSettings settings, Members members, Rebalance rebalance) {
        this.settings = settings;
        this.members = members;
        this.rebalance = rebalance;
    }

    boolean hasRoomFor(@Nullable Member member) {
        return switch (rebalance.state()) {
            case EMPTY, DEAD -> true;
            // Members that come back are counted as they arrive, so that the last ones find a shrunken group full.
            case PREPARING_REBALANCE ->
                (member != null && member.waitsForJoin()) || members.waitingForJoin() < settings.maxSize();
            case COMPLETING_REBALANCE, STABLE -> member != null || members.size() < settings.maxSize();
        };
    }

    boolean fits(JoinRequest request) {
        if (rebalance.state() == GroupState.EMPTY) {
            return !request.protocolType().isEmpty() && !request.protocols().isEmpty();
        }
        return request.protocolType().equals(rebalance.protocolType()) && members.support(request.protocols());
    }

    GroupError sync(SyncRequest request) {
        GroupError error = member(request.memberId(), request.instanceId(), request.generation());
        if (error != GroupError.NONE) {
            return error;
        }
        if (differs(request.protocolType(), rebalance.protocolType())
                || differs(request.protocolName(), rebalance.protocolName())) {
            return GroupError.INCONSISTENT_GROUP_PROTOCOL;
        }
        return rebalance.state() == GroupState.PREPARING_REBALANCE ? GroupError.REBALANCE_IN_PROGRESS : GroupError.NONE;
    }

    private static boolean differs(@Nullable String said, @Nullable String known) {
        return said != null && known != null && !said.equals(known);
    }

    GroupError commit(CommitRequest request) {
        if (rebalance.state() == GroupState.DEAD) {
            return GroupError.COORDINATOR_NOT_AVAILABLE;
        }
        if (request.generation() < 0 && rebalance.state() == GroupState.EMPTY) {
            return GroupError.NONE;
        }
        if (request.generation() < 0 && request.memberId().isEmpty() && request.instanceId() == null) {
            return GroupError.UNKNOWN_MEMBER_ID;
        }
        GroupError error = member(request.memberId(), request.instanceId(), request.generation());
        if (error == GroupError.NONE && rebalance.state() == GroupState.COMPLETING_REBALANCE) {
            return GroupError.REBALANCE_IN_PROGRESS;
        }
        return error;
    }

    GroupError member(String memberId, @Nullable String instanceId, int claimedGeneration) {
        if (rebalance.state() == GroupState.DEAD) {
            return GroupError.COORDINATOR_NOT_AVAILABLE;
        }
        GroupError error = members.check(memberId, instanceId);
        if (error == GroupError.NONE && claimedGeneration != rebalance.generation()) {
            return GroupError.ILLEGAL_GENERATION;
        }
        return error;
    }

    /** Whether somebody speaks of a member or a generation that this group has not had: it may have gone on elsewhere. */
    boolean isSurprising(String memberId, int claimedGeneration) {
        return rebalance.state() != GroupState.DEAD
                && !memberId.isEmpty()
                && (claimedGeneration > rebalance.generation()
                        || (members.byId(memberId) == null && !members.isPending(memberId)));
    }
}
