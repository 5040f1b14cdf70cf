package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.GroupImages;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

/**
 * What a {@link GroupCoordinator} works with.
 *
 * @param commits the store of positions
 * @param images the store of groups with their members
 * @param coordinated whether a group is coordinated here; asked for every request
 * @param executor runs the groups; its threads must not be blocked by anybody
 * @param timers wakes the groups
 * @param clock the wall clock, for the time of commits
 * @param memberIds makes member ids
 * @param subscriptions reads topics out of subscriptions
 * @param observer is told of commits and of positions removed
 */
public record GroupServices(
        CommittedOffsets commits,
        GroupImages images,
        Predicate<String> coordinated,
        Executor executor,
        GroupTimers timers,
        InstantSource clock,
        MemberIds memberIds,
        SubscriptionReader subscriptions,
        GroupObserver observer) {

    /** Services of a coordinator that is alone: all groups are its own, subscriptions can't be read, nobody observes. */
    public static GroupServices alone(
            CommittedOffsets commits, GroupImages images, Executor executor, GroupTimers timers, InstantSource clock) {
        return new GroupServices(
                commits,
                images,
                group -> true,
                executor,
                timers,
                clock,
                MemberIds.random(),
                metadata -> null,
                (group, positions) -> {});
    }

    /** The same with another rule for which groups are coordinated here. */
    public GroupServices coordinating(Predicate<String> groups) {
        return new GroupServices(commits, images, groups, executor, timers, clock, memberIds, subscriptions, observer);
    }

    /** The same with a reader of subscriptions. */
    public GroupServices reading(SubscriptionReader reader) {
        return new GroupServices(commits, images, coordinated, executor, timers, clock, memberIds, reader, observer);
    }

    /** The same with an observer of commits. */
    public GroupServices observedBy(GroupObserver watcher) {
        return new GroupServices(
                commits, images, coordinated, executor, timers, clock, memberIds, subscriptions, watcher);
    }

    /** The same with another maker of member ids. */
    public GroupServices naming(MemberIds ids) {
        return new GroupServices(commits, images, coordinated, executor, timers, clock, ids, subscriptions, observer);
    }
}
