package io.korvet.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.korvet.coordinator.Deadlines.Kind;
import io.korvet.store.CommittedOffsets;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random clients against the machine, over many steps, with everything that must hold checked after each one. Clients obey
 * the protocol most of the time; they also crash, repeat themselves, hold on to old ids and are removed by operators. The
 * coordinator ends at any moment, and another one goes on with what was stored; now and then the store takes nothing. A
 * failure names seed and step, and is found again with them.
 */
@SuppressWarnings("FutureReturnValueIgnored") // replies are followed in the ledger
class GroupModelTest {

    private static final int STEPS = 40_000;
    private static final int CLIENTS = 12;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void groupKeepsItsPromisesWhateverClientsDo(long seed) {
        Model model = new Model(seed);
        for (int step = 0; step < STEPS; step++) {
            try {
                model.step();
                model.check();
            } catch (RuntimeException | AssertionError failure) {
                fail("seed " + seed + ", step " + step + ": " + failure.getMessage(), failure);
            }
        }
        model.quieten();
        assertThat(model.generationsSeen).as("rebalances with seed %d", seed).hasSizeGreaterThan(100);
        assertThat(model.stableSeen).as("stable moments with seed %d", seed).isGreaterThan(100);
        assertThat(model.stableTakeOvers)
                .as("take-overs of a stable group with seed %d", seed)
                .isGreaterThan(10);
        assertThat(model.takeOversInRebalances)
                .as("take-overs in a rebalance with seed %d", seed)
                .isGreaterThan(20);
    }

    /** A client: what it believes, and the request it waits for. */
    private static final class Client {
        final int number;

        @Nullable
        final String instanceId;

        String memberId = "";
        int generation = -1;
        boolean leader;
        List<String> roster = List.of();

        @Nullable
        CompletableFuture<JoinResult> join;

        @Nullable
        CompletableFuture<SyncResult> sync;

        boolean synced;

        Client(int number, @Nullable String instanceId) {
            this.number = number;
            this.instanceId = instanceId;
        }

        void reset() {
            memberId = "";
            generation = -1;
            forget();
        }

        void forget() {
            leader = false;
            roster = List.of();
            join = null;
            sync = null;
            synced = false;
        }
    }

    private static final class Model {
        private static final String ASSIGNMENT = "for %s in %d";

        private final Random random;
        private final GroupScript script;
        private final List<Client> clients = new ArrayList<>();
        private final IdentityHashMap<CompletableFuture<?>, String> open = new IdentityHashMap<>();
        private final Map<String, Integer> joinedGeneration = new HashMap<>();
        private final int maxSize;
        private int generation;
        private int commitsAsked;
        private int commitsAnswered;
        final Set<Integer> generationsSeen = new HashSet<>();
        int stableSeen;
        int stableTakeOvers;
        int takeOversInRebalances;

        Model(long seed) {
            random = new Random(seed);
            maxSize = random.nextInt(3) == 0 ? 5 : Integer.MAX_VALUE;
            script = new GroupScript(GroupSettings.DEFAULTS.withMaxSize(maxSize));
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new Client(i, i % 3 == 0 ? "static-" + i : null));
            }
        }

        void step() {
            if (random.nextInt(100) == 0) {
                script.storeAway = !script.storeAway && random.nextInt(3) == 0;
            }
            boolean stable = script.group.state() == GroupState.STABLE;
            if (random.nextInt(stable ? 6 : 200) == 0) {
                takeOver();
            }
            Client client = clients.get(random.nextInt(CLIENTS));
            switch (random.nextInt(20)) {
                case 0 -> script.pass(random.nextInt(GroupScript.SESSION));
                case 1 -> script.pass(random.nextInt(GroupScript.REBALANCE));
                case 2, 3, 4 -> script.pass(random.nextInt(500));
                case 5 -> crash(client);
                case 6 -> leave(client);
                case 7 -> commit(client);
                case 8 -> stranger();
                case 9 -> repeat(client);
                default -> goOn(client);
            }
        }

        /** The coordinator ends; clients lose the requests that wait, and go on with the next coordinator. */
        private void takeOver() {
            Group before = script.group;
            boolean known = !script.missedSave && script.saved != null;
            script.takeOver();
            open.clear();
            for (Client client : clients) {
                client.join = known && client.join != null && client.join.isDone() ? client.join : null;
                client.sync = known && client.sync != null && client.sync.isDone() ? client.sync : null;
            }
            if (!known) {
                generation = script.group.generation();
                return;
            }
            assertThat(script.group.generation()).isEqualTo(before.generation());
            if (before.state() == GroupState.STABLE) {
                stableTakeOvers++;
                assertThat(script.group.state()).isEqualTo(GroupState.STABLE);
                assertThat(script.group.protocolName()).isEqualTo(before.protocolName());
                assertThat(script.group.members().leader())
                        .isEqualTo(before.members().leader());
                assertThat(described(script.group)).isEqualTo(described(before));
            } else if (!script.group.members().isEmpty()) {
                takeOversInRebalances++;
                assertThat(script.group.state()).isEqualTo(GroupState.PREPARING_REBALANCE);
            }
        }

        private static List<String> described(Group group) {
            return group.members().all().stream()
                    .map(member -> member.id() + " " + member.instanceId() + " " + member.protocols() + " "
                            + member.sessionTimeout() + " " + member.rebalanceTimeout() + " "
                            + new String(member.assignment(), StandardCharsets.UTF_8))
                    .toList();
        }

        /** What a well-behaved client does next. */
        private void goOn(Client client) {
            CompletableFuture<JoinResult> join = client.join;
            CompletableFuture<SyncResult> sync = client.sync;
            if (join != null) {
                if (join.isDone()) {
                    client.join = null;
                    joined(client, join.join());
                }
            } else if (sync != null) {
                if (sync.isDone()) {
                    client.sync = null;
                    synced(client, sync.join());
                }
            } else if (client.generation < 0) {
                join(client);
            } else if (!client.synced) {
                sync(client);
            } else {
                GroupError error = script.heartbeat(client.memberId, client.instanceId, client.generation);
                react(client, error);
            }
        }

        private void join(Client client) {
            GroupScript.Join join = GroupScript.member(client.memberId)
                    .named("c" + client.number)
                    .timeouts(GroupScript.SESSION, 1_000 + random.nextInt(GroupScript.REBALANCE));
            if (client.instanceId != null) {
                join.instance(client.instanceId);
            }
            if (random.nextBoolean()) {
                join.requiringId();
            }
            if (random.nextInt(4) == 0) {
                join.oldClient();
            }
            Protocol range = GroupScript.protocol("range", "v" + random.nextInt(2));
            Protocol sticky = GroupScript.protocol("sticky", "v" + random.nextInt(2));
            switch (random.nextInt(5)) {
                case 0 -> join.protocols(sticky, range);
                case 1 -> join.protocols(range);
                case 2 -> join.protocols(sticky);
                default -> join.protocols(range, sticky);
            }
            client.forget();
            client.join = track(script.join(join), "join of client " + client.number);
        }

        private void joined(Client client, JoinResult result) {
            if (result.error() == GroupError.MEMBER_ID_REQUIRED) {
                client.memberId = result.memberId();
                return;
            }
            if (result.error() != GroupError.NONE) {
                react(client, result.error());
                return;
            }
            client.memberId = result.memberId();
            client.generation = result.generation();
            client.leader = result.leader().equals(result.memberId());
            client.roster = result.members().stream()
                    .map(JoinResult.JoinedMember::memberId)
                    .toList();
            client.synced = false;
            assertThat(result.generation()).isLessThanOrEqualTo(script.group.generation());
            if (client.leader && !result.skipAssignment()) {
                assertThat(client.roster).contains(client.memberId);
            }
            joinedGeneration.put(client.memberId, result.generation());
        }

        private void sync(Client client) {
            Map<String, String> assignments = new HashMap<>();
            client.roster.forEach(member -> assignments.put(member, ASSIGNMENT.formatted(member, client.generation)));
            String[] flat = assignments.entrySet().stream()
                    .flatMap(entry -> List.of(entry.getKey(), entry.getValue()).stream())
                    .toArray(String[]::new);
            client.sync = track(
                    script.sync(client.memberId, client.instanceId, client.generation, "consumer", null, flat),
                    "sync of client " + client.number);
        }

        private void synced(Client client, SyncResult result) {
            if (result.error() != GroupError.NONE) {
                react(client, result.error());
                return;
            }
            client.synced = true;
            String assignment = new String(result.assignment(), StandardCharsets.UTF_8);
            if (client.instanceId == null && !assignment.isEmpty()) {
                assertThat(assignment).isEqualTo(ASSIGNMENT.formatted(client.memberId, client.generation));
            } else if (!assignment.isEmpty()) {
                assertThat(assignment).contains(client.instanceId).endsWith(" in " + client.generation);
            }
        }

        private void react(Client client, GroupError error) {
            switch (error) {
                case NONE -> {}
                case REBALANCE_IN_PROGRESS -> {
                    client.generation = -1;
                    client.forget();
                }
                case UNKNOWN_MEMBER_ID,
                        ILLEGAL_GENERATION,
                        FENCED_INSTANCE_ID,
                        GROUP_MAX_SIZE_REACHED,
                        INCONSISTENT_GROUP_PROTOCOL -> client.reset();
                default -> fail("error " + error);
            }
        }

        /** The client is gone without a word; another of its name may come. */
        private static void crash(Client client) {
            client.reset();
        }

        private void leave(Client client) {
            if (random.nextInt(4) != 0) {
                return;
            }
            boolean byOperator = client.instanceId != null && random.nextBoolean();
            if (byOperator || !client.memberId.isEmpty()) {
                LeaveResult result =
                        script.leave(new LeaveRequest.Leaver(byOperator ? "" : client.memberId, client.instanceId));
                assertThat(result.members()).hasSize(1);
                client.reset();
            }
        }

        /** A request is sent once more because its answer seems lost. */
        private void repeat(Client client) {
            if (client.join != null && !client.memberId.isEmpty()) {
                join(client);
            } else if (client.sync != null) {
                sync(client);
            }
        }

        private void commit(Client client) {
            commitsAsked++;
            List<CommitRequest.Commit> commits =
                    List.of(new CommitRequest.Commit(new CommittedOffsets.Key("t", 0), commitsAsked, -1, "", ""));
            GroupState state = script.group.state();
            int writes = script.writes.size();
            CompletableFuture<CommitResult> reply = script.commit(new CommitRequest(
                    GroupScript.GROUP, client.memberId, client.instanceId, client.generation, commits));
            if (script.writes.size() > writes) {
                commitsAnswered++;
                boolean outsider = client.generation < 0 && state == GroupState.EMPTY;
                assertThat(outsider || client.generation == script.group.generation())
                        .as("a commit of generation %d passes", client.generation)
                        .isTrue();
                assertThat(state).isNotIn(GroupState.COMPLETING_REBALANCE, GroupState.DEAD);
            } else {
                assertThat(reply.join().error()).isNotEqualTo(GroupError.NONE);
                commitsAnswered++;
            }
        }

        /** Requests that fit nobody. */
        private void stranger() {
            assertThat(script.heartbeat("nobody", random.nextInt(5))).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
            assertThat(script.sync("nobody", random.nextInt(5)).join().error()).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
            assertThat(script.leave("nobody").members()).containsExactly(GroupError.UNKNOWN_MEMBER_ID);
        }

        private <T> CompletableFuture<T> track(CompletableFuture<T> reply, String what) {
            open.put(reply, what);
            return reply;
        }

        void check() {
            Group group = script.group;
            assertThat(group.generation()).isGreaterThanOrEqualTo(generation);
            generation = group.generation();
            generationsSeen.add(generation);
            IdentityHashMap<CompletableFuture<?>, Member> waiting = new IdentityHashMap<>();
            for (Member member : group.members().all()) {
                checkMember(group, member);
                peek(member, waiting);
            }
            open.keySet().removeIf(CompletableFuture::isDone);
            assertThat(waiting.size()).as("requests that wait").isEqualTo(open.size());
            assertThat(open.keySet().stream().allMatch(waiting::containsKey))
                    .as("every open request is waiting: %s", open.values())
                    .isTrue();
            if (group.members().isEmpty()) {
                assertThat(group.members().leader()).isNull();
                assertThat(group.state()).isIn(GroupState.EMPTY, GroupState.PREPARING_REBALANCE);
            } else {
                assertThat(group.members().byId(String.valueOf(group.members().leader())))
                        .as("leader")
                        .isNotNull();
                assertThat(group.state()).isNotEqualTo(GroupState.EMPTY);
            }
            checkState(group);
            assertThat(script.alarm).isGreaterThan(script.now - 1);
            assertThat(commitsAnswered).isEqualTo(commitsAsked);
        }

        private static void peek(Member member, IdentityHashMap<CompletableFuture<?>, Member> waiting) {
            CompletableFuture<JoinResult> join = member.takeJoin();
            if (join != null) {
                waiting.put(join, member);
                member.waitForJoin(join);
            }
            CompletableFuture<SyncResult> sync = member.takeSync();
            if (sync != null) {
                waiting.put(sync, member);
                member.waitForSync(sync);
            }
        }

        private static void checkMember(Group group, Member member) {
            boolean covered = group.deadlines().has(Kind.SESSION, member.id()) || member.waits();
            assertThat(covered).as("member %s is watched", member.id()).isTrue();
            if (member.instanceId() != null) {
                assertThat(group.members().byInstance(member.instanceId())).isSameAs(member);
            }
            if (member.waitsForJoin()) {
                assertThat(group.state()).isEqualTo(GroupState.PREPARING_REBALANCE);
            } else if (member.waits()) {
                assertThat(group.state()).isEqualTo(GroupState.COMPLETING_REBALANCE);
            }
        }

        private void checkState(Group group) {
            Deadlines deadlines = group.deadlines();
            boolean joining = deadlines.has(Kind.JOIN, null) || deadlines.has(Kind.INITIAL_JOIN, null);
            switch (group.state()) {
                case EMPTY ->
                    assertThat(joining || deadlines.has(Kind.SYNC, null)).isFalse();
                case PREPARING_REBALANCE -> {
                    assertThat(joining).as("the join phase ends some time").isTrue();
                    assertThat(deadlines.has(Kind.SYNC, null)).isFalse();
                }
                case COMPLETING_REBALANCE -> {
                    assertThat(deadlines.has(Kind.SYNC, null))
                            .as("the sync phase ends some time")
                            .isTrue();
                    assertThat(joining).isFalse();
                }
                case STABLE -> {
                    stableSeen++;
                    assertThat(joining).isFalse();
                    assertThat(group.protocolName()).isNotNull();
                }
                case DEAD -> fail("dead");
            }
            if (!group.members().isEmpty()) {
                assertThat(script.alarm).as("an alarm is set").isNotEqualTo(Deadlines.NEVER);
            }
        }

        /** All clients fall silent: everybody is dropped and every request answered. */
        void quieten() {
            script.pass(20L * GroupScript.REBALANCE);
            check();
            assertThat(open).isEmpty();
            assertThat(script.group.state()).isEqualTo(GroupState.EMPTY);
            assertThat(script.group.members().hasPending()).isFalse();
            assertThat(script.alarm).isEqualTo(Deadlines.NEVER);
        }
    }
}
