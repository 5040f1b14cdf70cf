package io.korvet.store;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Who is in which group and does what, as its coordinator last said, so that the next coordinator can go on with it. Whoever
 * claims a group gets an epoch above all before it; with an older one nothing can be written any more. Thread-safe; calls for
 * one group are carried out in their order.
 */
public interface GroupImages {

    /** How far a group is. */
    enum State {
        /** No members. */
        EMPTY,
        /** A new generation is being formed, or waits for its assignment. */
        REBALANCING,
        /** Every member has, or can have, its assignment. */
        STABLE
    }

    /**
     * A group.
     *
     * @param state how far it is
     * @param generation the last generation that began
     * @param protocolType the kind of group, {@code null} for one that is not known
     * @param protocol the chosen protocol, {@code null} without members
     * @param leader the leading member's id, {@code null} without members
     * @param savedMilliseconds when it was written, by the coordinator's wall clock
     * @param members its members in the order they came
     */
    record Image(
            State state,
            int generation,
            @Nullable String protocolType,
            @Nullable String protocol,
            @Nullable String leader,
            long savedMilliseconds,
            List<Member> members) {

        /** Copies the list. */
        public Image {
            members = List.copyOf(members);
        }

        /** The group as it is known without its members: they join again, and its generations go on. */
        public Image withoutMembers() {
            return new Image(State.EMPTY, generation, protocolType, null, null, savedMilliseconds, List.of());
        }

        /** About how many bytes it takes in the store. */
        public long bytes() {
            long bytes = 0;
            for (Member member : members) {
                bytes += member.bytes();
            }
            return bytes;
        }
    }

    /**
     * A member of a group; times in milliseconds.
     *
     * @param id its id
     * @param instanceId its instance id if it is static
     * @param clientId the client's name
     * @param clientHost where it comes from
     * @param sessionTimeout without a heartbeat for so long it is gone
     * @param rebalanceTimeout what it may take to join again
     * @param protocols what it supports, most wanted first
     * @param assignment what it has been assigned, no bytes for nothing
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Member(
            String id,
            @Nullable String instanceId,
            String clientId,
            String clientHost,
            int sessionTimeout,
            int rebalanceTimeout,
            List<Protocol> protocols,
            byte[] assignment) {

        /** Names and numbers of a row, about. */
        private static final long ROW = 250;

        /** Copies the list. */
        public Member {
            protocols = List.copyOf(protocols);
        }

        private long bytes() {
            long binary = assignment.length;
            long text = ROW + id.length() + (long) clientId.length() + clientHost.length();
            for (Protocol protocol : protocols) {
                binary += protocol.metadata().length;
                text += protocol.name().length() + ROW / 5;
            }
            return text + binary * 4 / 3;
        }
    }

    /**
     * A protocol that a member supports.
     *
     * @param name its name
     * @param metadata what the member says with it
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Protocol(String name, byte[] metadata) {}

    /**
     * A group that was claimed.
     *
     * @param epoch to be shown with every later change of the group and of its positions
     * @param isStored whether whoever claimed it before has lost the right to change it; else that is so after the first
     *     change under this claim
     * @param image what is stored; {@code null} when nothing is, or what is can't be read
     */
    record Claim(long epoch, boolean isStored, @Nullable Image image) {}

    /**
     * Takes a group over, also one that isn't there: whoever claimed it before can change neither it nor its positions any
     * more. When the store takes no writes (because it is full), the group is read all the same, and the one before keeps its
     * right until the new one has changed something. A claim that has not been used for an hour may have to be made again.
     */
    CompletionStage<Claim> claim(String group);

    /** Writes a group in the place of what is stored; false, and nothing is done, when somebody has claimed it since. */
    CompletionStage<Boolean> save(String group, long epoch, Image image);

    /**
     * Removes a group, but not its positions; false, and nothing is done, when somebody has claimed it since. The claim holds
     * on, so that nothing of before comes back.
     */
    CompletionStage<Boolean> delete(String group, long epoch);

    /** The epoch of the last claim; 0 when there was none, or none for long. */
    CompletionStage<Long> epoch(String group);

    /** Names of all groups that are stored; may name one too many for a moment, never one too few. */
    CompletionStage<List<String>> groups();
}
