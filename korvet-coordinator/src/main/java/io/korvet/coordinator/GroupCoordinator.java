package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Coordinates consumer groups: who is in a group, who does what, and how far it has come.
 *
 * <p>Committed positions are in the store and survive. Membership is held in memory, and in the store as it was after the last
 * change, so that the next coordinator goes on with it. Events of
 * one group are handled one after another, those of different groups at the same time. No method blocks; answers are
 * completed on the executor of {@link GroupServices}, some at once on the caller's thread. What can go wrong is said by the
 * {@link GroupError} in an answer; a stage fails only by a defect. Join and sync are answered when the group is ready, which
 * may take as long as its members' rebalance timeout. Thread-safe.
 */
public final class GroupCoordinator implements AutoCloseable {

    private final GroupSettings settings;
    private final GroupServices services;
    private final GroupRuntime runtime;
    private final GroupSweep sweep;

    /** A coordinator without groups. */
    public GroupCoordinator(GroupSettings settings, GroupServices services) {
        this.settings = settings;
        this.services = services;
        this.runtime = new GroupRuntime(settings, services);
        this.sweep = new GroupSweep(settings, services, runtime);
    }

    /** A member joins; answered when the generation it will be in begins. */
    public CompletionStage<JoinResult> join(JoinRequest request) {
        GroupError invalid = request.group().isEmpty()
                ? GroupError.INVALID_GROUP_ID
                : request.sessionTimeout() < settings.minSessionTimeout()
                                || request.sessionTimeout() > settings.maxSessionTimeout()
                        ? GroupError.INVALID_SESSION_TIMEOUT
                        : GroupError.NONE;
        if (invalid != GroupError.NONE) {
            return answered(JoinResult.refused(invalid, request.memberId()));
        }
        return runtime.submit(request.group(), error -> JoinResult.refused(error, request.memberId()), reply -> {
            Consumer<GroupError> refused = error -> reply.complete(JoinResult.refused(error, request.memberId()));
            runtime.withMembers(
                    request.group(), group -> group.isSurprisedBy(request.memberId(), -1), refused, slot -> {
                        if (!slot.group().isKnown() && !request.memberId().isEmpty()) {
                            refused.accept(GroupError.UNKNOWN_MEMBER_ID);
                        } else {
                            runtime.perform(slot, slot.group().join(request, reply, now()));
                        }
                    });
        });
    }

    /** A member asks for its assignment; answered when the leader has brought it. */
    public CompletionStage<SyncResult> sync(SyncRequest request) {
        if (request.group().isEmpty()) {
            return answered(SyncResult.refused(GroupError.INVALID_GROUP_ID));
        }
        return runtime.submit(
                request.group(),
                SyncResult::refused,
                reply -> runtime.withMembers(
                        request.group(),
                        group -> group.isSurprisedBy(request.memberId(), request.generation()),
                        error -> reply.complete(SyncResult.refused(unread(error, GroupError.REBALANCE_IN_PROGRESS))),
                        slot -> runtime.perform(slot, slot.group().sync(request, reply, now()))));
    }

    /** A member says that it is alive. */
    public CompletionStage<GroupError> heartbeat(HeartbeatRequest request) {
        if (request.group().isEmpty()) {
            return answered(GroupError.INVALID_GROUP_ID);
        }
        return runtime.submit(
                request.group(),
                error -> error,
                reply -> runtime.withMembers(
                        request.group(),
                        group -> group.isSurprisedBy(request.memberId(), request.generation()),
                        error -> reply.complete(unread(error, GroupError.NONE)),
                        slot -> runtime.perform(slot, slot.group().heartbeat(request, reply, now()))));
    }

    /** Members leave. */
    public CompletionStage<LeaveResult> leave(LeaveRequest request) {
        if (request.group().isEmpty()) {
            return answered(LeaveResult.refused(GroupError.INVALID_GROUP_ID));
        }
        return runtime.submit(
                request.group(),
                LeaveResult::refused,
                reply -> runtime.withMembers(
                        request.group(),
                        group -> request.members().stream()
                                .anyMatch(leaver -> group.isSurprisedBy(leaver.memberId(), -1)),
                        error -> reply.complete(LeaveResult.refused(error)),
                        slot -> runtime.perform(slot, slot.group().leave(request, reply, now()))));
    }

    /**
     * Commits positions; answered after the store has answered. {@link GroupError#GROUP_ID_NOT_FOUND} when a member of a
     * generation commits for a group that isn't known.
     */
    public CompletionStage<CommitResult> commit(CommitRequest request) {
        return runtime.submit(request.group(), CommitResult::refused, reply -> {
            Consumer<GroupError> refused = error -> reply.complete(CommitResult.refused(error));
            runtime.withMembers(
                    request.group(),
                    group -> group.isSurprisedBy(request.memberId(), request.generation()),
                    refused,
                    members -> {
                        if (members.group().state() != GroupState.EMPTY) {
                            commit(members, request, reply);
                        } else {
                            runtime.withAll(request.group(), refused, slot -> {
                                if (request.generation() >= 0 && !slot.exists()) {
                                    refused.accept(GroupError.GROUP_ID_NOT_FOUND);
                                } else {
                                    commit(slot, request, reply);
                                }
                            });
                        }
                    });
        });
    }

    /** All committed positions of a group, none of them older than what another coordinator has stored before the call. */
    public CompletionStage<OffsetsResult> offsets(String group, Stability stability) {
        return runtime.submit(
                group,
                OffsetsResult::refused,
                reply -> runtime.withAllAsStored(group, error -> reply.complete(OffsetsResult.refused(error)), slot -> {
                    Runnable answer = () -> reply.complete(
                            slot.group().state() == GroupState.DEAD
                                    ? OffsetsResult.refused(GroupError.NOT_COORDINATOR)
                                    : new OffsetsResult(
                                            GroupError.NONE, slot.offsets().all()));
                    switch (stability) {
                        case AS_THEY_ARE -> answer.run();
                        case AFTER_WRITES_UNDER_WAY -> slot.offsets().afterWrites(answer);
                    }
                }));
    }

    /** Which positions are wanted. */
    public enum Stability {
        /** Those in the store by now. */
        AS_THEY_ARE,
        /** Those in the store when all commits under way by now have ended. */
        AFTER_WRITES_UNDER_WAY
    }

    /** Forgets positions, except those of topics that the group is subscribed to. */
    public CompletionStage<OffsetDeleteResult> deleteOffsets(String group, Collection<CommittedOffsets.Key> keys) {
        if (group.isEmpty()) {
            return answered(OffsetDeleteResult.refused(GroupError.INVALID_GROUP_ID));
        }
        return runtime.submit(
                group,
                OffsetDeleteResult::refused,
                reply -> runtime.withAll(group, error -> reply.complete(OffsetDeleteResult.refused(error)), slot -> {
                    GroupError error = Subscriptions.deleteError(slot);
                    if (error == GroupError.NONE) {
                        deleteOffsets(slot, keys, reply);
                    } else {
                        reply.complete(OffsetDeleteResult.refused(error));
                    }
                }));
    }

    /** A group as tools show it. */
    public CompletionStage<GroupDescription> describe(String group) {
        return runtime.submit(group, error -> GroupDescription.refused(error, group), reply -> {
            Consumer<GroupError> refused = error -> reply.complete(GroupDescription.refused(error, group));
            runtime.withMembers(group, refused, present -> {
                if (present.group().isKnown()) {
                    reply.complete(describe(present));
                    return;
                }
                runtime.withAll(group, refused, slot -> {
                    if (slot.exists()) {
                        reply.complete(describe(slot));
                    } else {
                        refused.accept(GroupError.GROUP_ID_NOT_FOUND);
                    }
                });
            });
        });
    }

    /**
     * All groups coordinated here: those with members, and those with positions. Groups with stored members that nobody has
     * asked for yet are read. Fails when the store does.
     */
    public CompletionStage<List<GroupListing>> list() {
        return services.images()
                .groups()
                .thenCompose(groups -> sweep.each(
                        groups,
                        group -> runtime.submit(
                                group,
                                error -> error,
                                reply -> runtime.withMembers(
                                        group, reply::complete, slot -> reply.complete(GroupError.NONE)))))
                .thenCompose(read -> services.commits().groups())
                .thenApply(this::listed);
    }

    private List<GroupListing> listed(List<String> stored) {
        Map<String, GroupListing> groups = new LinkedHashMap<>();
        for (String group : stored) {
            groups.put(group, new GroupListing(group, "", GroupState.EMPTY));
        }
        for (GroupSlot slot : runtime.slots()) {
            GroupListing listing = slot.listing();
            if (listing != null) {
                groups.put(slot.id(), listing);
            }
        }
        groups.keySet().removeIf(services.coordinated().negate());
        return List.copyOf(groups.values());
    }

    /** Deletes a group without members, with its positions. */
    public CompletionStage<GroupError> delete(String group) {
        return runtime.submit(
                group,
                error -> error,
                reply -> runtime.withAll(group, reply::complete, slot -> {
                    if (!slot.exists()) {
                        reply.complete(GroupError.GROUP_ID_NOT_FOUND);
                    } else if (slot.group().state() != GroupState.EMPTY) {
                        reply.complete(GroupError.NON_EMPTY_GROUP);
                    } else {
                        runtime.delete(slot, outcome -> {
                            deleted(slot, outcome);
                            reply.complete(outcome);
                        });
                    }
                }));
    }

    /**
     * Forgets what has been kept long enough: positions of groups that have been without members and commits for the
     * retention time, and groups that have neither members nor positions. To be called now and then; completes when all
     * groups have been looked at, one after another, also when the store failed for some.
     */
    public CompletionStage<Void> expire() {
        return sweep.expire();
    }

    /** Forgets the positions for topics that were deleted, given as name and id. Completes like {@link #expire()}. */
    public CompletionStage<Void> forgetTopics(Map<String, String> idsByName) {
        return sweep.forgetTopics(idsByName);
    }

    /** The rule for which groups are coordinated here has changed: lets go of those that aren't any more. */
    public void ownershipChanged() {
        runtime.slots().forEach(runtime::endIfForeign);
    }

    /** Lets go of all groups; whoever waits, and whoever comes after, is told to look for another coordinator. */
    @Override
    public void close() {
        runtime.close();
    }

    private void commit(GroupSlot slot, CommitRequest request, CompletableFuture<CommitResult> reply) {
        long wallClock = services.clock().millis();
        runtime.perform(slot, slot.group().commit(request, reply, now(), wallClock));
    }

    private void deleteOffsets(
            GroupSlot slot, Collection<CommittedOffsets.Key> keys, CompletableFuture<OffsetDeleteResult> reply) {
        Predicate<String> subscriptions = Subscriptions.of(slot.group(), services.subscriptions());
        Set<String> subscribed = new LinkedHashSet<>();
        Set<CommittedOffsets.Key> free = new LinkedHashSet<>();
        for (CommittedOffsets.Key key : keys) {
            if (subscriptions.test(key.topic())) {
                subscribed.add(key.topic());
            } else if (slot.offsets().all().containsKey(key)) {
                free.add(key);
            }
        }
        sweep.forget(slot, free, outcome -> reply.complete(new OffsetDeleteResult(outcome, subscribed)));
    }

    private void deleted(GroupSlot slot, GroupError outcome) {
        if (outcome == GroupError.NONE) {
            Set<CommittedOffsets.Key> keys = Set.copyOf(slot.offsets().all().keySet());
            slot.offsets().removeAll();
            services.observer().removed(slot.id(), keys);
            if (slot.group().state() == GroupState.EMPTY) {
                runtime.end(slot, GroupError.NOT_COORDINATOR);
            }
        }
    }

    /** As Kafka does it: clients know no such thing as a group that can't be read yet in the answers to these requests. */
    private static GroupError unread(GroupError error, GroupError known) {
        return error == GroupError.COORDINATOR_LOAD_IN_PROGRESS ? known : error;
    }

    private static GroupDescription describe(GroupSlot slot) {
        Group group = slot.group();
        String chosen = group.state() == GroupState.STABLE ? group.protocolName() : null;
        return new GroupDescription(
                GroupError.NONE,
                slot.id(),
                group.state(),
                group.protocolType() == null ? "" : group.protocolType(),
                chosen == null ? "" : chosen,
                group.members().all().stream()
                        .map(member -> member.described(chosen))
                        .toList());
    }

    private long now() {
        return services.timers().now();
    }

    private static <T> CompletionStage<T> answered(T result) {
        return CompletableFuture.completedFuture(result);
    }
}
