package io.korvet.coordinator;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What the members of a group are subscribed to. */
final class Subscriptions {

    private static final String CONSUMER = "consumer";

    private Subscriptions() {}

    /** Why positions of the group can't be forgotten while it is as it is. */
    static GroupError deleteError(GroupSlot slot) {
        if (!slot.exists()) {
            return GroupError.GROUP_ID_NOT_FOUND;
        }
        boolean free = slot.group().state() == GroupState.EMPTY
                || CONSUMER.equals(slot.group().protocolType());
        return free ? GroupError.NONE : GroupError.NON_EMPTY_GROUP;
    }

    /** Whether the group is subscribed to a topic; to all when a member's subscription can't be read. */
    static Predicate<String> of(Group group, SubscriptionReader reader) {
        Set<String> all = new HashSet<>();
        for (Member member : group.members().all()) {
            Set<String> topics = topics(member, reader);
            if (topics == null) {
                return topic -> true;
            }
            all.addAll(topics);
        }
        return all::contains;
    }

    @Nullable
    private static Set<String> topics(Member member, SubscriptionReader reader) {
        return reader.topics(member.protocols().get(0).metadata());
    }
}
