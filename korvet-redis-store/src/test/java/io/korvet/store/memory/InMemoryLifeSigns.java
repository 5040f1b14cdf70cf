package io.korvet.store.memory;

import io.korvet.store.HeartbeatTable;
import io.korvet.store.LifeSigns;
import io.korvet.store.MembershipEpochs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Signs in memory beside rows whose answers are complete at once. {@link #cut} ends a member's connection as a death does. */
public final class InMemoryLifeSigns implements LifeSigns {

    private final HeartbeatTable rows;
    private final MembershipEpochs epochs;
    private final Map<String, String> signs = new HashMap<>();
    private final List<Connection> appeared = new ArrayList<>();
    private final Set<Connection> connections = new HashSet<>();

    /** Signs without any member. */
    public InMemoryLifeSigns(HeartbeatTable rows, MembershipEpochs epochs) {
        this.rows = rows;
        this.epochs = epochs;
    }

    /** Ends the connections that stand for a member, until {@link #restore} or their renewal. */
    public synchronized void cut(String member) {
        connections.removeIf(connection -> connection.member.equals(member));
    }

    /** Makes the connections that stand for a member anew, as a driver does by itself. */
    public synchronized void restore(String member) {
        appeared.stream().filter(connection -> connection.member.equals(member)).forEach(Connection::renew);
    }

    /** Loses all signs and all connections, as a server without persistence does that is started again. */
    public synchronized void clear() {
        signs.clear();
        connections.clear();
    }

    @Override
    public synchronized Presence appear(String member) {
        Connection connection = new Connection(member);
        appeared.add(connection);
        connection.renew();
        return connection;
    }

    @Override
    public synchronized CompletionStage<Look> look(String member) {
        Map<String, Sign> all = new HashMap<>();
        signs.forEach((each, text) -> all.put(each, new Sign(text, standingFor(each))));
        return epochs.present()
                .thenCombine(rows.rows(), (epoch, found) -> new Look(all, epoch, found.getOrDefault(member, "")));
    }

    private long standingFor(String member) {
        return connections.stream()
                .filter(connection -> connection.member.equals(member))
                .count();
    }

    @Override
    public synchronized CompletionStage<@Nullable String> write(String member, String expected, String text) {
        String there = signs.getOrDefault(member, "");
        if (!there.equals(expected)) {
            return CompletableFuture.completedStage(there);
        }
        signs.put(member, text);
        return CompletableFuture.completedStage(null);
    }

    @Override
    public synchronized CompletionStage<Boolean> replace(String member, Sign seen, String row, String mark) {
        String present = rows.rows().toCompletableFuture().join().get(member);
        boolean lifeless = Objects.equals(signs.get(member), seen.text())
                && row.equals(present)
                && (seen.connections() > 0 || standingFor(member) == 0);
        if (lifeless) {
            signs.put(member, mark);
        }
        return CompletableFuture.completedStage(lifeless);
    }

    @Override
    public synchronized CompletionStage<Boolean> remove(String member, String expected) {
        return CompletableFuture.completedStage(signs.remove(member, expected));
    }

    private final class Connection implements Presence {

        private final String member;
        private long attempts;

        Connection(String member) {
            this.member = member;
        }

        @Override
        public long attempts() {
            synchronized (InMemoryLifeSigns.this) {
                return attempts;
            }
        }

        @Override
        public void renew() {
            synchronized (InMemoryLifeSigns.this) {
                attempts++;
                connections.add(this);
            }
        }

        @Override
        public void close() {
            synchronized (InMemoryLifeSigns.this) {
                appeared.remove(this);
                connections.remove(this);
            }
        }
    }
}
