package io.korvet.coordinator;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The members of a group: those that have joined, in the order they came; ids that were given out and not used yet; who is
 * static, who leads, and which protocols all support. Not thread-safe: belongs to its group.
 */
final class Members {

    private final Map<String, Member> joined = new LinkedHashMap<>();
    private final Map<String, String> staticIds = new LinkedHashMap<>();
    private final Set<String> pending = new LinkedHashSet<>();

    @Nullable
    private String leader;

    int size() {
        return joined.size();
    }

    boolean isEmpty() {
        return joined.isEmpty();
    }

    Collection<Member> all() {
        return joined.values();
    }

    @Nullable
    Member byId(String id) {
        return joined.get(id);
    }

    @Nullable
    Member byInstance(String instanceId) {
        String id = staticIds.get(instanceId);
        return id == null ? null : joined.get(id);
    }

    @Nullable
    String leader() {
        return leader;
    }

    /** Lets a member lead, if it is there. */
    void lead(@Nullable String id) {
        if (id != null && joined.containsKey(id)) {
            leader = id;
        }
    }

    boolean leads(Member member) {
        return member.id().equals(leader);
    }

    boolean isPending(String id) {
        return pending.contains(id);
    }

    boolean hasPending() {
        return !pending.isEmpty();
    }

    void addPending(String id) {
        pending.add(id);
    }

    void removePending(String id) {
        pending.remove(id);
    }

    void add(Member member) {
        pending.remove(member.id());
        joined.put(member.id(), member);
        if (member.instanceId() != null) {
            staticIds.put(member.instanceId(), member.id());
        }
        if (leader == null) {
            leader = member.id();
        }
    }

    void remove(Member member) {
        joined.remove(member.id());
        if (member.instanceId() != null) {
            staticIds.remove(member.instanceId(), member.id());
        }
        if (leads(member)) {
            leader = joined.isEmpty() ? null : joined.keySet().iterator().next();
        }
    }

    /** Puts a static member in the place of the one that had its instance id, also as leader. */
    void replace(Member before, Member after) {
        boolean led = leads(before);
        remove(before);
        add(after);
        if (led) {
            leader = after.id();
        }
    }

    /** Whether the member id is known and, with an instance id, is still the one that holds it. */
    GroupError check(String memberId, @Nullable String instanceId) {
        if (instanceId != null) {
            String holder = staticIds.get(instanceId);
            if (holder == null) {
                return GroupError.UNKNOWN_MEMBER_ID;
            }
            if (!holder.equals(memberId)) {
                return GroupError.FENCED_INSTANCE_ID;
            }
        }
        return joined.containsKey(memberId) ? GroupError.NONE : GroupError.UNKNOWN_MEMBER_ID;
    }

    int waitingForJoin() {
        int waiting = 0;
        for (Member member : joined.values()) {
            if (member.waitsForJoin()) {
                waiting++;
            }
        }
        return waiting;
    }

    boolean allWaitForJoin() {
        return pending.isEmpty() && waitingForJoin() == joined.size();
    }

    /** Keeps a leader that has joined, else elects the first member that has; false when none has. */
    boolean electLeader() {
        Member current = leader == null ? null : joined.get(leader);
        if (current != null && current.waitsForJoin()) {
            return true;
        }
        for (Member member : joined.values()) {
            if (member.waitsForJoin()) {
                leader = member.id();
                return true;
            }
        }
        return false;
    }

    /** The greatest of the members' rebalance timeouts. */
    int rebalanceTimeout() {
        int greatest = 0;
        for (Member member : joined.values()) {
            greatest = Math.max(greatest, member.rebalanceTimeout());
        }
        return greatest;
    }

    /** Whether at least one of the protocols is supported by every member. */
    boolean support(List<Protocol> protocols) {
        if (joined.isEmpty()) {
            return !protocols.isEmpty();
        }
        Set<String> common = commonProtocols();
        return protocols.stream().anyMatch(protocol -> common.contains(protocol.name()));
    }

    /** Whether all members support a protocol. */
    boolean agreeOn(@Nullable String protocol) {
        return protocol != null && commonProtocols().contains(protocol);
    }

    /** The protocol with the most votes among those that all members support; the first one voted for wins a draw. */
    String choose() {
        Set<String> candidates = commonProtocols();
        Map<String, Integer> votes = new LinkedHashMap<>();
        for (Member member : joined.values()) {
            String choice = member.vote(candidates);
            if (choice != null) {
                votes.merge(choice, 1, Integer::sum);
            }
        }
        String winner = null;
        int most = 0;
        for (Map.Entry<String, Integer> entry : votes.entrySet()) {
            if (entry.getValue() > most) {
                winner = entry.getKey();
                most = entry.getValue();
            }
        }
        if (winner == null) {
            throw new IllegalStateException("members without a common protocol: " + joined.keySet());
        }
        return winner;
    }

    private Set<String> commonProtocols() {
        Set<String> common = null;
        for (Member member : joined.values()) {
            Set<String> names = new HashSet<>();
            member.protocols().forEach(protocol -> names.add(protocol.name()));
            if (common == null) {
                common = names;
            } else {
                common.retainAll(names);
            }
        }
        return common == null ? Set.of() : common;
    }
}
