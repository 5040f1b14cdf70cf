package io.korvet.server.handler;

import io.korvet.coordinator.GroupCoordinator;
import io.korvet.coordinator.JoinRequest;
import io.korvet.coordinator.JoinResult;
import io.korvet.coordinator.Protocol;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import java.net.InetAddress;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.protocol.ApiKeys;

/** JoinGroup: answered when the member's generation begins. */
public final class JoinGroupHandler implements ApiHandler<JoinGroupRequestData, JoinGroupResponseData> {

    private static final int FIRST_REQUIRING_MEMBER_ID = 4;
    private static final int FIRST_WITH_NULLABLE_PROTOCOL = 7;
    private static final int FIRST_SKIPPING_ASSIGNMENT = 9;

    private final GroupCoordinator coordinator;

    /** Passes joins to the coordinator. */
    public JoinGroupHandler(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.JOIN_GROUP;
    }

    @Override
    public CompletionStage<JoinGroupResponseData> handle(RequestContext context, JoinGroupRequestData request) {
        int rebalanceTimeout =
                request.rebalanceTimeoutMs() < 0 ? request.sessionTimeoutMs() : request.rebalanceTimeoutMs();
        JoinRequest join = new JoinRequest(
                request.groupId(),
                request.memberId(),
                request.groupInstanceId(),
                context.clientId() == null ? "" : context.clientId(),
                host(context),
                request.sessionTimeoutMs(),
                rebalanceTimeout,
                request.protocolType(),
                request.protocols().stream()
                        .map(protocol -> new Protocol(protocol.name(), protocol.metadata()))
                        .toList(),
                context.version() >= FIRST_REQUIRING_MEMBER_ID,
                context.version() >= FIRST_SKIPPING_ASSIGNMENT);
        return coordinator.join(join).thenApply(result -> response(context.version(), result));
    }

    private static JoinGroupResponseData response(short version, JoinResult result) {
        boolean nameNeeded = result.protocolName() == null && version < FIRST_WITH_NULLABLE_PROTOCOL;
        JoinGroupResponseData response = new JoinGroupResponseData()
                .setErrorCode(GroupErrors.code(result.error()))
                .setGenerationId(result.generation())
                .setProtocolType(result.protocolType())
                .setProtocolName(nameNeeded ? "" : result.protocolName())
                .setLeader(result.leader())
                .setSkipAssignment(result.skipAssignment())
                .setMemberId(result.memberId());
        result.members()
                .forEach(member -> response.members()
                        .add(new JoinGroupResponseMember()
                                .setMemberId(member.memberId())
                                .setGroupInstanceId(member.instanceId())
                                .setMetadata(member.metadata())));
        return response;
    }

    /** As Kafka shows it: a slash and the address. */
    private static String host(RequestContext context) {
        InetAddress address = context.peer().getAddress();
        return "/" + (address == null ? context.peer().getHostString() : address.getHostAddress());
    }
}
