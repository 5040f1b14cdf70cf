package io.korvet.coordinator;

import io.korvet.coordinator.GroupDescription.DescribedMember;
import io.korvet.coordinator.JoinResult.JoinedMember;
import io.korvet.store.GroupImages;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A member of a group, with the one request of it that may be waiting. Not thread-safe: belongs to its group. */
final class Member {

    static final byte[] NOTHING = new byte[0];

    private final String id;

    @Nullable
    private final String instanceId;

    private final String clientId;
    private final String clientHost;
    private List<Protocol> protocols;
    private int sessionTimeout;
    private int rebalanceTimeout;
    private byte[] assignment = NOTHING;
    private boolean fresh = true;

    @Nullable
    private CompletableFuture<JoinResult> waitingJoin;

    @Nullable
    private CompletableFuture<SyncResult> waitingSync;

    Member(String id, JoinRequest request) {
        this.id = id;
        this.instanceId = request.instanceId();
        this.clientId = request.clientId();
        this.clientHost = request.clientHost();
        this.protocols = request.protocols();
        this.sessionTimeout = request.sessionTimeout();
        this.rebalanceTimeout = request.rebalanceTimeout();
    }

    /** A static member that comes back under a new id and keeps what it was assigned. */
    Member(String id, JoinRequest request, Member before) {
        this(id, request);
        this.assignment = before.assignment;
        this.fresh = before.fresh;
    }

    /** A member as another coordinator knew it. */
    Member(GroupImages.Member stored) {
        this.id = stored.id();
        this.instanceId = stored.instanceId();
        this.clientId = stored.clientId();
        this.clientHost = stored.clientHost();
        this.protocols = stored.protocols().stream()
                .map(protocol -> new Protocol(protocol.name(), protocol.metadata()))
                .toList();
        this.sessionTimeout = stored.sessionTimeout();
        this.rebalanceTimeout = stored.rebalanceTimeout();
        this.assignment = stored.assignment();
        this.fresh = false;
    }

    /** The member for another coordinator. */
    GroupImages.Member stored() {
        return new GroupImages.Member(
                id,
                instanceId,
                clientId,
                clientHost,
                sessionTimeout,
                rebalanceTimeout,
                protocols.stream()
                        .map(protocol -> new GroupImages.Protocol(protocol.name(), protocol.metadata()))
                        .toList(),
                assignment);
    }

    String id() {
        return id;
    }

    @Nullable
    String instanceId() {
        return instanceId;
    }

    boolean isStatic() {
        return instanceId != null;
    }

    int sessionTimeout() {
        return sessionTimeout;
    }

    int rebalanceTimeout() {
        return rebalanceTimeout;
    }

    List<Protocol> protocols() {
        return protocols;
    }

    /** Takes over what the member says when it joins again. */
    void update(JoinRequest request) {
        protocols = request.protocols();
        sessionTimeout = request.sessionTimeout();
        rebalanceTimeout = request.rebalanceTimeout();
    }

    byte[] assignment() {
        return assignment;
    }

    void assign(byte[] given) {
        assignment = given;
    }

    /** Whether the member has never been in a generation; such a one may be gone although it waits. */
    boolean isFresh() {
        return fresh;
    }

    void settle() {
        fresh = false;
    }

    boolean waits() {
        return waitingJoin != null || waitingSync != null;
    }

    boolean waitsForJoin() {
        return waitingJoin != null;
    }

    /** Lets a join wait in the place of the one that waited before. */
    void waitForJoin(CompletableFuture<JoinResult> reply) {
        waitingJoin = reply;
    }

    @Nullable
    CompletableFuture<JoinResult> takeJoin() {
        CompletableFuture<JoinResult> reply = waitingJoin;
        waitingJoin = null;
        return reply;
    }

    /** Lets a sync wait in the place of the one that waited before. */
    void waitForSync(CompletableFuture<SyncResult> reply) {
        waitingSync = reply;
    }

    @Nullable
    CompletableFuture<SyncResult> takeSync() {
        CompletableFuture<SyncResult> reply = waitingSync;
        waitingSync = null;
        return reply;
    }

    /** The first of its protocols that is among the candidates; {@code null} when none is. */
    @Nullable
    String vote(Set<String> candidates) {
        for (Protocol protocol : protocols) {
            if (candidates.contains(protocol.name())) {
                return protocol.name();
            }
        }
        return null;
    }

    byte[] metadata(@Nullable String protocolName) {
        for (Protocol protocol : protocols) {
            if (protocol.name().equals(protocolName)) {
                return protocol.metadata();
            }
        }
        return NOTHING;
    }

    JoinedMember joined(@Nullable String protocolName) {
        return new JoinedMember(id, instanceId, metadata(protocolName));
    }

    DescribedMember described(@Nullable String protocolName) {
        return new DescribedMember(id, instanceId, clientId, clientHost, metadata(protocolName), assignment);
    }
}
