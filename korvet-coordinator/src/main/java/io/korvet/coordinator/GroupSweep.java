package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Position;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** Goes through the groups coordinated here, one after another, to forget what nobody needs any more. Thread-safe. */
final class GroupSweep {

    private final GroupSettings settings;
    private final GroupServices services;
    private final GroupRuntime runtime;

    GroupSweep(GroupSettings settings, GroupServices services, GroupRuntime runtime) {
        this.settings = settings;
        this.services = services;
        this.runtime = runtime;
    }

    /** {@link GroupCoordinator#expire()}. */
    CompletionStage<Void> expire() {
        return services.images()
                .groups()
                .thenCompose(groups -> eachGroup(
                        groups, slot -> slot.isExpired(services.clock().millis(), settings), (key, position) -> true));
    }

    /** {@link GroupCoordinator#forgetTopics}. */
    CompletionStage<Void> forgetTopics(Map<String, String> idsByName) {
        return eachGroup(List.of(), slot -> true, (key, position) -> {
            String id = idsByName.get(key.topic());
            return id != null
                    && (position.topicId().isEmpty() || position.topicId().equals(id));
        });
    }

    /** Removes positions of a group; tells, on its writer, whether it worked. */
    void forget(GroupSlot slot, Set<CommittedOffsets.Key> keys, Consumer<GroupError> ended) {
        if (keys.isEmpty()) {
            ended.accept(GroupError.NONE);
            return;
        }
        runtime.change(slot, fence -> services.commits().remove(slot.id(), fence, keys), outcome -> {
            if (outcome == GroupError.NONE) {
                slot.offsets().remove(keys);
                services.observer().removed(slot.id(), keys);
            }
            ended.accept(outcome);
        });
    }

    private CompletionStage<Void> eachGroup(
            Collection<String> more,
            Predicate<GroupSlot> wanted,
            BiPredicate<CommittedOffsets.Key, Position> forgotten) {
        return services.commits().groups().thenCompose(stored -> {
            Set<String> groups = new LinkedHashSet<>(stored);
            groups.addAll(more);
            runtime.slots().forEach(slot -> groups.add(slot.id()));
            return each(groups, group -> visit(group, wanted, forgotten));
        });
    }

    /** Does something for those groups that are coordinated here, one after another, also when it fails for some. */
    CompletionStage<Void> each(Collection<String> groups, Function<String, CompletionStage<GroupError>> visit) {
        CompletionStage<Void> visited = CompletableFuture.completedFuture(null);
        for (String group : groups) {
            if (services.coordinated().test(group)) {
                visited = visited.thenCompose(before ->
                        visit.apply(group).handle((outcome, failure) -> group).thenAccept(done -> {}));
            }
        }
        return visited;
    }

    private CompletionStage<GroupError> visit(
            String group, Predicate<GroupSlot> wanted, BiPredicate<CommittedOffsets.Key, Position> forgotten) {
        return runtime.submit(
                group,
                error -> error,
                reply -> runtime.withAll(group, reply::complete, slot -> {
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
    }
}
