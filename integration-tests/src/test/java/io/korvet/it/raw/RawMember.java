package io.korvet.it.raw;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocolCollection;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Utils;

/** A group member that takes each step of the protocol when it is told to. For one thread. */
public final class RawMember implements AutoCloseable {
    private static final int JOIN = 7;
    private static final int COMMIT = 8;
    private static final byte[] NOTHING =
            Utils.toArray(ConsumerProtocol.serializeAssignment(new Assignment(List.of())));

    private final RawConnection connection;
    private final String group;
    private final String topic;
    private final int sessionMilliseconds;
    private String id = "";
    private int generation = -1;

    /** A member that wants one topic; it has not joined. */
    public RawMember(String bootstrap, String group, String topic) {
        this(bootstrap, group, topic, 6_000);
    }

    /** The same with another session timeout. */
    public RawMember(String bootstrap, String group, String topic, int sessionMilliseconds) {
        this.sessionMilliseconds = sessionMilliseconds;
        this.connection = RawConnection.open(bootstrap);
        this.group = group;
        this.topic = topic;
    }

    /** Joins and waits for the answer, twice when the first join only gives an id. */
    public Errors join() {
        sendJoin();
        Errors error = receiveJoin();
        if (error == Errors.MEMBER_ID_REQUIRED) {
            sendJoin();
            error = receiveJoin();
        }
        return error;
    }

    /** Sends JoinGroup without waiting. */
    public void sendJoin() {
        byte[] subscription = Utils.toArray(ConsumerProtocol.serializeSubscription(new Subscription(List.of(topic))));
        JoinGroupRequestProtocolCollection protocols = new JoinGroupRequestProtocolCollection();
        protocols.add(new JoinGroupRequestProtocol().setName("range").setMetadata(subscription));
        connection.send(
                new JoinGroupRequestData()
                        .setGroupId(group)
                        .setMemberId(id)
                        .setProtocolType("consumer")
                        .setSessionTimeoutMs(sessionMilliseconds)
                        .setRebalanceTimeoutMs(10_000)
                        .setProtocols(protocols),
                JOIN);
    }

    /** Reads the answer to a join. */
    public Errors receiveJoin() {
        JoinGroupResponseData answer = (JoinGroupResponseData) connection.receive(ApiKeys.JOIN_GROUP, JOIN);
        id = answer.memberId();
        generation = answer.generationId();
        return Errors.forCode(answer.errorCode());
    }

    /** Syncs as the leader of a group it is alone in, with nothing assigned. */
    public Errors sync() {
        SyncGroupResponseData answer = connection.exchange(
                SyncGroupResponseData.class,
                new SyncGroupRequestData()
                        .setGroupId(group)
                        .setMemberId(id)
                        .setGenerationId(generation)
                        .setProtocolType("consumer")
                        .setProtocolName("range")
                        .setAssignments(List.of(
                                new SyncGroupRequestAssignment().setMemberId(id).setAssignment(NOTHING))),
                5);
        return Errors.forCode(answer.errorCode());
    }

    /** Tells that it lives. */
    public Errors heartbeat() {
        HeartbeatResponseData answer = connection.exchange(
                HeartbeatResponseData.class,
                new HeartbeatRequestData().setGroupId(group).setMemberId(id).setGenerationId(generation),
                4);
        return Errors.forCode(answer.errorCode());
    }

    /** Commits offset 1 of partition 0 as this member. */
    public Errors commit() {
        return commit(id, generation);
    }

    /** Commits offset 1 of partition 0 as any member of any generation. */
    public Errors commit(String memberId, int generationId) {
        OffsetCommitResponseData answer = connection.exchange(
                OffsetCommitResponseData.class,
                new OffsetCommitRequestData()
                        .setGroupId(group)
                        .setMemberId(memberId)
                        .setGenerationIdOrMemberEpoch(generationId)
                        .setTopics(List.of(new OffsetCommitRequestTopic()
                                .setName(topic)
                                .setPartitions(List.of(new OffsetCommitRequestPartition().setCommittedOffset(1))))),
                COMMIT);
        return Errors.forCode(answer.topics().get(0).partitions().get(0).errorCode());
    }

    /** Leaves the group. */
    public Errors leave() {
        LeaveGroupResponseData answer = connection.exchange(
                LeaveGroupResponseData.class,
                new LeaveGroupRequestData().setGroupId(group).setMembers(List.of(new MemberIdentity().setMemberId(id))),
                4);
        return Errors.forCode(answer.members().get(0).errorCode());
    }

    /** The id the coordinator gave it. */
    public String id() {
        return id;
    }

    /** The generation of the last join. */
    public int generation() {
        return generation;
    }

    @Override
    public void close() {
        connection.close();
    }
}
