package io.korvet.coordinator;

import io.korvet.coordinator.LeaveRequest.Leaver;
import io.korvet.store.GroupImages;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Drives a {@link Group} by hand: a clock that is set, effects carried out at once, member ids that can be foreseen. */
@SuppressWarnings("FutureReturnValueIgnored") // replies are looked at where they matter
final class GroupScript {

    static final String GROUP = "g";
    static final int SESSION = 10_000;
    static final int REBALANCE = 60_000;

    Group group;
    final List<Effect.WriteCommits> writes = new ArrayList<>();
    long now = 1_000_000;
    long alarm = Deadlines.NEVER;
    /** What the store has of the group. */
    GroupImages.@Nullable Image saved;

    /** While true, nothing is stored. */
    boolean storeAway;

    /** Whether the store has not got the last change. */
    boolean missedSave;

    private final GroupSettings settings;
    private int ids;

    GroupScript(GroupSettings settings) {
        this.settings = settings;
        group = newGroup();
    }

    private Group newGroup() {
        return new Group(GROUP, settings, name -> name + "-" + ++ids);
    }

    /** The coordinator ends without a word, and another one goes on with what is stored. */
    void takeOver() {
        group = newGroup();
        alarm = Deadlines.NEVER;
        missedSave = false;
        if (saved != null) {
            perform(group.restore(saved, now));
        }
    }

    /** A reply that is never waited for: without threads, one that isn't there now will never be. */
    static final class Reply<T> extends CompletableFuture<T> {
        @Override
        public T join() {
            return resultNow(this);
        }

        @Override
        public boolean complete(T result) {
            if (!super.complete(result)) {
                throw new AssertionError("answered twice");
            }
            return true;
        }

        private static <T> T resultNow(CompletableFuture<T> reply) {
            if (!reply.isDone()) {
                throw new AssertionError("not answered");
            }
            return reply.getNow(null);
        }
    }

    /** A join in the making; dynamic, with the id it has, unless said otherwise. */
    static final class Join {
        String memberId = "";
        String clientId = "client";

        @Nullable
        String instanceId;

        int session = SESSION;
        int rebalance = REBALANCE;
        String type = "consumer";
        List<Protocol> protocols = List.of(protocol("range", "v1"));
        boolean memberIdRequired;
        boolean skipsAssignment = true;

        Join as(String id) {
            memberId = id;
            return this;
        }

        Join named(String client) {
            clientId = client;
            return this;
        }

        Join instance(String id) {
            instanceId = id;
            return this;
        }

        Join protocols(Protocol... wanted) {
            protocols = List.of(wanted);
            return this;
        }

        Join type(String kind) {
            type = kind;
            return this;
        }

        Join timeouts(int sessionTimeout, int rebalanceTimeout) {
            session = sessionTimeout;
            rebalance = rebalanceTimeout;
            return this;
        }

        Join requiringId() {
            memberIdRequired = true;
            return this;
        }

        Join oldClient() {
            skipsAssignment = false;
            return this;
        }

        JoinRequest request() {
            return new JoinRequest(
                    GROUP,
                    memberId,
                    instanceId,
                    clientId,
                    "/127.0.0.1",
                    session,
                    rebalance,
                    type,
                    protocols,
                    memberIdRequired,
                    skipsAssignment);
        }
    }

    static Join member() {
        return new Join();
    }

    static Join member(String id) {
        return new Join().as(id);
    }

    static Protocol protocol(String name, String metadata) {
        return new Protocol(name, bytes(metadata));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    CompletableFuture<JoinResult> join(Join join) {
        CompletableFuture<JoinResult> reply = new Reply<>();
        perform(group.join(join.request(), reply, now));
        return reply;
    }

    CompletableFuture<SyncResult> sync(String member, int generation, String... memberAndAssignment) {
        return sync(member, null, generation, "consumer", "range", memberAndAssignment);
    }

    CompletableFuture<SyncResult> sync(
            String member,
            @Nullable String instance,
            int generation,
            @Nullable String type,
            @Nullable String name,
            String... memberAndAssignment) {
        Map<String, byte[]> assignments = new HashMap<>();
        for (int i = 0; i < memberAndAssignment.length; i += 2) {
            assignments.put(memberAndAssignment[i], bytes(memberAndAssignment[i + 1]));
        }
        CompletableFuture<SyncResult> reply = new Reply<>();
        perform(group.sync(new SyncRequest(GROUP, member, instance, generation, type, name, assignments), reply, now));
        return reply;
    }

    GroupError heartbeat(String member, int generation) {
        return heartbeat(member, null, generation);
    }

    GroupError heartbeat(String member, @Nullable String instance, int generation) {
        CompletableFuture<GroupError> reply = new Reply<>();
        perform(group.heartbeat(new HeartbeatRequest(GROUP, member, instance, generation), reply, now));
        return reply.getNow(GroupError.NONE);
    }

    LeaveResult leave(Leaver... leavers) {
        CompletableFuture<LeaveResult> reply = new Reply<>();
        perform(group.leave(new LeaveRequest(GROUP, Arrays.asList(leavers)), reply, now));
        return reply.join();
    }

    LeaveResult leave(String member) {
        return leave(new Leaver(member, null));
    }

    CompletableFuture<CommitResult> commit(CommitRequest request) {
        CompletableFuture<CommitResult> reply = new Reply<>();
        perform(group.commit(request, reply, now, now));
        return reply;
    }

    /** Lets time pass; the group is woken whenever it asked for it. */
    void pass(long milliseconds) {
        long end = now + milliseconds;
        while (alarm <= end) {
            now = Math.max(now, alarm);
            alarm = Deadlines.NEVER;
            perform(group.passTime(now));
        }
        now = end;
    }

    /** Brings a stable group of so many dynamic members; answers their ids, the leader first. */
    List<String> stable(int count) {
        List<CompletableFuture<JoinResult>> joins = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            joins.add(join(member().named("c" + i)));
        }
        for (int i = 0; i < 60 && !joins.get(0).isDone(); i++) {
            pass(1_000);
        }
        List<String> members = new ArrayList<>();
        joins.forEach(join -> members.add(join.join().memberId()));
        settle(members);
        return members;
    }

    /** The leader, first of the members, brings an assignment; the others ask for theirs. */
    void settle(List<String> members) {
        String[] assignment = new String[members.size() * 2];
        for (int i = 0; i < members.size(); i++) {
            assignment[2 * i] = members.get(i);
            assignment[2 * i + 1] = "part " + i;
        }
        members.stream().skip(1).forEach(member -> sync(member, group.generation()));
        sync(members.get(0), group.generation(), assignment);
    }

    void perform(List<Effect> effects) {
        for (Effect effect : effects) {
            switch (effect.kind()) {
                case ANSWER -> ((Effect.Answer<?>) effect).deliver();
                case PROMISE -> ((Effect.Promise<?>) effect).deliver();
                case SAVE -> missedSave = true;
                case WAKE_AT -> alarm = ((Effect.WakeAt) effect).milliseconds();
                case WRITE_COMMITS -> writes.add((Effect.WriteCommits) effect);
            }
        }
        if (missedSave && !storeAway) {
            saved = group.image(now);
            missedSave = false;
        }
    }
}
