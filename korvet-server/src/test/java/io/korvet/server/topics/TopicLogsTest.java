package io.korvet.server.topics;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.store.EntryLog;
import io.korvet.store.StoreException;
import io.korvet.store.TopicCatalog.Topic;
import io.korvet.tiering.DeletedLogs;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class TopicLogsTest {

    private final FakeStore store = new FakeStore();
    private final Queue<CompletableFuture<Void>> underWay = new ArrayDeque<>();
    private final EntryLog entries = (EntryLog) Proxy.newProxyInstance(
            EntryLog.class.getClassLoader(), new Class<?>[] {EntryLog.class}, (proxy, method, arguments) -> {
                CompletableFuture<Void> call = new CompletableFuture<>();
                underWay.add(call);
                return call;
            });
    private final TopicLogs logs = new TopicLogs(store.topics(), entries, new DeletedLogs(store.removals()));

    private CompletableFuture<Void> make(String name, int partitions) {
        CompletionStage<Void> made = logs.make(new Topic(name, "id of " + name, partitions, Map.of(), 0), 0);
        return made.toCompletableFuture();
    }

    @Test
    void manyTopicsOfManyPartitionsAreMadeWithFewCallsAtATime() {
        CompletableFuture<Void> first = make("first", 2_500);
        CompletableFuture<Void> second = make("second", 700);

        int calls = 0;
        while (!underWay.isEmpty()) {
            assertThat(underWay).hasSizeLessThanOrEqualTo(TopicLogs.MOST_AT_A_TIME);
            assertThat(first.isDone()).isEqualTo(calls >= 2_500);
            underWay.remove().complete(null);
            calls++;
        }
        assertThat(calls).isEqualTo(3_200);
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
    }

    @Test
    void aTopicThatFailsDoesNotKeepTheNextFromItsTurn() {
        CompletableFuture<Void> failed = make("failed", 1);
        CompletableFuture<Void> next = make("next", 1);

        underWay.remove().completeExceptionally(new StoreException(StoreException.Kind.UNAVAILABLE, "down"));
        underWay.remove().complete(null);

        assertThat(failed).isCompletedExceptionally();
        assertThat(next).isCompleted();
    }
}
