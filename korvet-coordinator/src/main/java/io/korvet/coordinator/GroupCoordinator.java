package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Position;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Coordinates consumer groups: who is in a group, who does what, and how far it has come.
 *
 * <p>Membership is held in memory and ends with the coordinator; committed positions are in the store and survive. Events of
 * one group are handled one after another, those of different groups at the same time. No method blocks; answers are
 * completed on the executor of {@link GroupServices}, some at once on the caller's thread. What can go wrong is said by the
 * {@link GroupError} in an answer; a stage fails only by a defect. Join and sync are answered when the group is ready, which
 * may take as long as its members' rebalance timeout. Thread-safe.
 */
public final class GroupCoordinator implements AutoCloseable {

    private final GroupSettings settings;
    private final GroupServices services;
    private final GroupRuntime runtime;

    /** A coordinator without groups. */
    public GroupCoordinator(GroupSettings settings, GroupServices services) {
        this.settings = settings;
        this.services = services;
        this.runtime = new GroupRuntime(settings, services);
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
            boolean known = runtime.slot(request.group()) != null;
            if (!known && !request.memberId().isEmpty()) {
                reply.complete(JoinResult.refused(GroupError.UNKNOWN_MEMBER_ID, request.memberId()));
                return;
            }
            GroupSlot slot = runtime.slotOrNew(request.group());
            runtime.perform(slot, slot.group().join(request, reply, now()));
        });
    }

    /** A member asks for its assignment; answered when the leader has brought it. */
    public CompletionStage<SyncResult> sync(SyncRequest request) {
        if (request.group().isEmpty()) {
            return answered(SyncResult.refused(GroupError.INVALID_GROUP_ID));
        }
        return runtime.submit(request.group(), SyncResult::refused, reply -> {
            GroupSlot slot = runtime.slot(request.group());
            if (slot == null) {
                reply.complete(SyncResult.refused(GroupError.UNKNOWN_MEMBER_ID));
            } else {
                runtime.perform(slot, slot.group().sync(request, reply, now()));
            }
        });
    }

    /** A member says that it is alive. */
    public CompletionStage<GroupError> heartbeat(HeartbeatRequest request) {
        if (request.group().isEmpty()) {
            return answered(GroupError.INVALID_GROUP_ID);
        }
        return runtime.submit(request.group(), error -> error, reply -> {
            GroupSlot slot = runtime.slot(request.group());
            if (slot == null) {
                reply.complete(GroupError.UNKNOWN_MEMBER_ID);
            } else {
                runtime.perform(slot, slot.group().heartbeat(request, reply, now()));
            }
        });
    }

    /** Members leave. */
    public CompletionStage<LeaveResult> leave(LeaveRequest request) {
        if (request.group().isEmpty()) {
            return answered(LeaveResult.refused(GroupError.INVALID_GROUP_ID));
        }
        return runtime.submit(request.group(), LeaveResult::refused, reply -> {
            GroupSlot slot = runtime.slot(request.group());
            if (slot == null) {
                reply.complete(LeaveResult.unknownMembers(request));
            } else {
                runtime.perform(slot, slot.group().leave(request, reply, now()));
            }
        });
    }

    /**
     * Commits positions; answered after the store has answered. {@link GroupError#GROUP_ID_NOT_FOUND} when a member of a
     * generation commits for a group that isn't known.
     */
    public CompletionStage<CommitResult> commit(CommitRequest request) {
        return runtime.submit(request.group(), CommitResult::refused, reply -> {
            GroupSlot present = runtime.slot(request.group());
            if (present != null && present.group().state() != GroupState.EMPTY) {
                commit(present, request, reply);
                return;
            }
            runtime.withOffsets(request.group(), error -> reply.complete(CommitResult.refused(error)), slot -> {
                if (request.generation() >= 0 && !slot.exists()) {
                    reply.complete(CommitResult.refused(GroupError.GROUP_ID_NOT_FOUND));
                } else {
                    commit(slot, request, reply);
                }
            });
        });
    }

    /** All committed positions of a group. */
    public CompletionStage<OffsetsResult> offsets(String group, Stability stability) {
        return runtime.submit(
                group,
                OffsetsResult::refused,
                reply -> runtime.withOffsets(group, error -> reply.complete(OffsetsResult.refused(error)), slot -> {
                    Runnable answer = () -> reply.complete(
                            new OffsetsResult(GroupError.NONE, slot.offsets().all()));
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
                reply ->
                        runtime.withOffsets(group, error -> reply.complete(OffsetDeleteResult.refused(error)), slot -> {
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
            GroupSlot present = runtime.slot(group);
            if (present != null && present.group().isKnown()) {
                reply.complete(describe(present));
                return;
            }
            runtime.withOffsets(
                    group,
                    error -> reply.complete(GroupDescription.refused(error, group)),
                    slot -> reply.complete(
                            slot.exists()
                                    ? describe(slot)
                                    : GroupDescription.refused(GroupError.GROUP_ID_NOT_FOUND, group)));
        });
    }

    /** All groups coordinated here: those with members, and those with positions. Fails when the store does. */
    public CompletionStage<List<GroupListing>> list() {
        return services.commits().groups().thenApply(stored -> {
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
        });
    }

    /** Deletes a group without members, with its positions. */
    public CompletionStage<GroupError> delete(String group) {
        return runtime.submit(
                group,
                error -> error,
                reply -> runtime.withOffsets(group, reply::complete, slot -> {
                    if (!slot.exists()) {
                        reply.complete(GroupError.GROUP_ID_NOT_FOUND);
                    } else if (slot.group().state() != GroupState.EMPTY) {
                        reply.complete(GroupError.NON_EMPTY_GROUP);
                    } else {
                        runtime.change(slot, () -> services.commits().delete(group), outcome -> {
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
        return eachGroup(slot -> slot.isExpired(services.clock().millis(), settings), (key, position) -> true);
    }

    /** Forgets the positions for topics that were deleted, given as name and id. Completes like {@link #expire()}. */
    public CompletionStage<Void> forgetTopics(Map<String, String> idsByName) {
        return eachGroup(slot -> true, (key, position) -> {
            String id = idsByName.get(key.topic());
            return id != null
                    && (position.topicId().isEmpty() || position.topicId().equals(id));
        });
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
        forget(slot, free, outcome -> reply.complete(new OffsetDeleteResult(outcome, subscribed)));
    }

    private void forget(GroupSlot slot, Set<CommittedOffsets.Key> keys, Consumer<GroupError> ended) {
        if (keys.isEmpty()) {
            ended.accept(GroupError.NONE);
            return;
        }
        runtime.change(slot, () -> services.commits().remove(slot.id(), keys), outcome -> {
            if (outcome == GroupError.NONE) {
                slot.offsets().remove(keys);
                services.observer().removed(slot.id(), keys);
            }
            ended.accept(outcome);
        });
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

    private CompletionStage<Void> eachGroup(
            Predicate<GroupSlot> wanted, BiPredicate<CommittedOffsets.Key, Position> forgotten) {
        return services.commits().groups().thenCompose(stored -> {
            Set<String> groups = new LinkedHashSet<>(stored);
            runtime.slots().forEach(slot -> groups.add(slot.id()));
            CompletionStage<Void> visited = CompletableFuture.completedFuture(null);
            for (String group : groups) {
                if (services.coordinated().test(group)) {
                    visited = visited.thenCompose(before -> visit(group, wanted, forgotten));
                }
            }
            return visited;
        });
    }

    private CompletionStage<Void> visit(
            String group, Predicate<GroupSlot> wanted, BiPredicate<CommittedOffsets.Key, Position> forgotten) {
        CompletionStage<GroupError> visit = runtime.submit(
                group,
                error -> error,
                reply -> runtime.withOffsets(group, reply::complete, slot -> {
                    Set<CommittedOffsets.Key> keys = new LinkedHashSet<>();
                    if (wanted.test(slot)) {
                        slot.offsets().all().forEach((key, position) -> {
                            if (forgotten.test(key, position)) {
                                keys.add(key);
                            }
                        });
                    }
                    if (keys.isEmpty()) {
                        runtime.dropIfEmpty(slot);
                    }
                    forget(slot, keys, reply::complete);
                }));
        return visit.handle((outcome, failure) -> group).thenAccept(done -> {});
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
