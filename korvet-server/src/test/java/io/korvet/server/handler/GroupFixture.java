package io.korvet.server.handler;

import static io.korvet.server.topics.TopicFixture.done;

import io.korvet.coordinator.GroupCoordinator;
import io.korvet.coordinator.GroupServices;
import io.korvet.coordinator.GroupSettings;
import io.korvet.coordinator.GroupTimers;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.topics.TopicFixture;
import io.korvet.store.CommittedOffsets;
import io.korvet.store.memory.InMemoryStore;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;

/** A coordinator on the test's own thread, over topics and positions in memory; time stands still. */
final class GroupFixture {

    static final String GROUP = "g";

    final TopicFixture broker = new TopicFixture();
    final Positions positions = new Positions();
    final GroupCoordinator coordinator = new GroupCoordinator(
            GroupSettings.DEFAULTS.withInitialRebalanceDelay(0),
            GroupServices.alone(
                            positions,
                            new InMemoryStore().groupImages(),
                            Runnable::run,
                            new StandingTime(),
                            InstantSource.system())
                    .coordinating(group -> !group.startsWith("foreign"))
                    .reading(new ConsumerSubscriptions()));

    /** Hands a request to a handler; the answer must be there and must be one that this version can be written in. */
    static <Q extends ApiMessage, R extends ApiMessage> R ask(ApiHandler<Q, R> handler, int version, Q request) {
        R response = done(handler.handle(Requests.of(handler.key(), version), request));
        if (response == null) {
            throw new AssertionError(handler.key() + " " + version + " is not answered");
        }
        MessageUtil.toVersionPrefixedByteBuffer((short) version, response);
        return response;
    }

    static JoinGroupRequestData join(String group, byte[] subscription) {
        JoinGroupRequestData request = new JoinGroupRequestData()
                .setGroupId(group)
                .setSessionTimeoutMs(10_000)
                .setRebalanceTimeoutMs(60_000)
                .setMemberId("")
                .setProtocolType("consumer");
        request.protocols()
                .mustAdd(new JoinGroupRequestProtocol().setName("range").setMetadata(subscription));
        return request;
    }

    /** Makes the group stable with one member and answers its id. */
    String stableMember(byte[] subscription) {
        JoinGroupResponseData joined = ask(new JoinGroupHandler(coordinator), 3, join(GROUP, subscription));
        sync(joined.memberId(), List.of(joined.memberId()));
        return joined.memberId();
    }

    SyncGroupResponseData sync(String member, List<String> assigned) {
        return ask(
                new SyncGroupHandler(coordinator),
                5,
                new SyncGroupRequestData()
                        .setGroupId(GROUP)
                        .setMemberId(member)
                        .setGenerationId(1)
                        .setProtocolType("consumer")
                        .setProtocolName("range")
                        .setAssignments(assigned.stream()
                                .map(each -> new SyncGroupRequestAssignment()
                                        .setMemberId(each)
                                        .setAssignment(new byte[] {1}))
                                .toList()));
    }

    /** Alarms that are due go off at once, others never. */
    private static final class StandingTime implements GroupTimers {
        @Override
        public long now() {
            return 0;
        }

        @Override
        public void wake(String group, long milliseconds, Runnable task) {
            if (milliseconds <= 0) {
                task.run();
            }
        }

        @Override
        public void cancel(String group) {}
    }

    /** Positions in memory. */
    static final class Positions implements CommittedOffsets {

        final Map<String, Map<CommittedOffsets.Key, Position>> groups = new TreeMap<>();

        @Override
        public CompletionStage<Outcome> commit(
                String group, Fence fence, Map<CommittedOffsets.Key, Position> committed) {
            groups.computeIfAbsent(group, name -> new HashMap<>()).putAll(committed);
            return CompletableFuture.completedFuture(Outcome.DONE);
        }

        @Override
        public CompletionStage<Map<CommittedOffsets.Key, Position>> positions(String group) {
            return CompletableFuture.completedFuture(Map.copyOf(groups.getOrDefault(group, Map.of())));
        }

        @Override
        public CompletionStage<Outcome> remove(String group, Fence fence, Collection<CommittedOffsets.Key> keys) {
            groups.getOrDefault(group, new HashMap<>()).keySet().removeAll(keys);
            return CompletableFuture.completedFuture(Outcome.DONE);
        }

        @Override
        public CompletionStage<Outcome> removeAll(String group, Fence fence) {
            groups.remove(group);
            return CompletableFuture.completedFuture(Outcome.DONE);
        }

        @Override
        public CompletionStage<List<String>> groups() {
            return CompletableFuture.completedFuture(List.copyOf(groups.keySet()));
        }
    }
}
