package io.korvet.server.topics;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.DeliveryGroups;
import io.korvet.store.EntryLog;
import io.korvet.store.GroupImages;
import io.korvet.store.HeartbeatTable;
import io.korvet.store.LeaseStore;
import io.korvet.store.LifeSigns;
import io.korvet.store.MembershipEpochs;
import io.korvet.store.MemoryUse;
import io.korvet.store.SegmentCatalog;
import io.korvet.store.Sequences;
import io.korvet.store.Store;
import io.korvet.store.StoreException;
import io.korvet.store.StreamName;
import io.korvet.store.TopicCatalog;
import io.korvet.store.memory.InMemoryStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store of topics, log names, leases and numbers in memory, for tests of what is built on them. It answers on the
 * caller's thread; {@link #down} makes every call fail; several brokers can share one. Entries are not kept.
 */
public final class FakeStore implements Store {

    /** Log name to incarnation. */
    public final Map<String, String> logs = new TreeMap<>();

    /** Lease name to token. */
    public final Map<String, String> held = new HashMap<>();

    /** While true, nothing can be reached. */
    public boolean down;

    /** While true, logs alone can't be reached. */
    public boolean logsDown;

    /** What {@link #memory} answers. */
    public MemoryUse memory = new MemoryUse(0, 0);

    /** While true, logs can't be deleted. */
    public boolean deletesFail;

    private final HeartbeatTable removals = new InMemoryStore().removals();
    private final Map<String, TopicCatalog.Topic> topics = new TreeMap<>();
    private final List<TopicCatalog.Topic> removed = new ArrayList<>();
    private final Map<String, Long> numbers = new HashMap<>();
    private long version;

    /** Forgets all topics and that there were changes, as {@code FLUSHALL} does. */
    public void empty() {
        topics.clear();
        removed.clear();
        version = 0;
    }

    private <T> CompletionStage<T> answer(Supplier<T> call) {
        return down
                ? CompletableFuture.failedFuture(new StoreException(StoreException.Kind.UNAVAILABLE, "down"))
                : CompletableFuture.completedFuture(call.get());
    }

    @Override
    public TopicCatalog topics() {
        return new FakeCatalog();
    }

    @Override
    public EntryLog entries() {
        return (EntryLog) Proxy.newProxyInstance(
                EntryLog.class.getClassLoader(),
                new Class<?>[] {EntryLog.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "create" -> makeLog((StreamName) arguments[0], (String) arguments[1]);
                    case "delete" -> deleteLog((StreamName) arguments[0], (String) arguments[1]);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    @Override
    public HeartbeatTable removals() {
        return removals;
    }

    @Override
    public HeartbeatTable facts() {
        throw new AssertionError("not expected");
    }

    @Override
    public LeaseStore leases() {
        return new LeaseStore() {
            @Override
            public CompletionStage<Boolean> acquire(String name, String token, Duration duration) {
                return answer(() -> held.merge(name, token, (old, mine) -> old).equals(token));
            }

            @Override
            public CompletionStage<Boolean> release(String name, String token) {
                return answer(() -> held.remove(name, token));
            }
        };
    }

    @Override
    public Sequences sequences() {
        return (name, count) -> answer(() -> numbers.merge(name, (long) count, Long::sum) - count);
    }

    @Override
    public SegmentCatalog segments() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CommittedOffsets commits() {
        throw new UnsupportedOperationException();
    }

    @Override
    public GroupImages groupImages() {
        throw new UnsupportedOperationException();
    }

    @Override
    public DeliveryGroups deliveryGroups() {
        throw new UnsupportedOperationException();
    }

    @Override
    public LifeSigns lifeSigns() {
        throw new UnsupportedOperationException();
    }

    @Override
    public MembershipEpochs membershipEpochs() {
        throw new UnsupportedOperationException();
    }

    @Override
    public HeartbeatTable brokers() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> ping() {
        return answer(() -> null);
    }

    @Override
    public CompletionStage<Void> pingLogs() {
        return logsDown
                ? CompletableFuture.failedFuture(new StoreException(StoreException.Kind.UNAVAILABLE, "logs down"))
                : CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<MemoryUse> memory() {
        return answer(() -> memory);
    }

    @Override
    public void close() {}

    private final class FakeCatalog implements TopicCatalog {

        @Override
        public CompletionStage<Long> version() {
            return answer(() -> version);
        }

        @Override
        public CompletionStage<Snapshot> snapshot() {
            return answer(() -> new Snapshot(version, List.copyOf(topics.values())));
        }

        @Override
        public CompletionStage<Boolean> add(Topic topic) {
            return answer(() -> topics.putIfAbsent(topic.name(), topic) == null && ++version > 0);
        }

        @Override
        public CompletionStage<Boolean> replace(Topic expected, Topic replacement) {
            return answer(() -> topics.replace(expected.name(), expected, replacement) && ++version > 0);
        }

        @Override
        public CompletionStage<@Nullable Topic> remove(String name, String id) {
            return answer(() -> {
                Topic topic = topics.get(name);
                if (topic == null || !topic.id().equals(id)) {
                    return null;
                }
                topics.remove(name);
                removed.add(topic);
                version++;
                return topic;
            });
        }

        @Override
        public CompletionStage<List<Topic>> removed() {
            return answer(() -> List.copyOf(removed));
        }

        @Override
        public CompletionStage<Void> forget(Topic topic) {
            return answer(() -> {
                removed.remove(topic);
                return null;
            });
        }
    }

    private CompletionStage<Void> makeLog(StreamName stream, String incarnation) {
        return answer(() -> {
            logs.put(stream.value(), incarnation);
            return null;
        });
    }

    private CompletionStage<Void> deleteLog(StreamName stream, String incarnation) {
        if (deletesFail) {
            return CompletableFuture.failedFuture(new StoreException(StoreException.Kind.OUTCOME_UNKNOWN, "no answer"));
        }
        return answer(() -> {
            logs.remove(stream.value(), incarnation);
            return null;
        });
    }
}
