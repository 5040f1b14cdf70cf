package io.korvet.server.topics;

import io.korvet.store.EntryLog;
import io.korvet.store.StreamName;
import io.korvet.store.TopicCatalog;
import io.korvet.store.TopicCatalog.Topic;
import io.korvet.tiering.DeletedLogs;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The logs that belong to topics, made and removed for all partitions of a topic, one topic after the other: the store takes
 * only so many calls at a time, and refuses what a request of many topics would send at once. Thread-safe.
 */
final class TopicLogs {

    /** Calls under way, far below what the store takes. */
    static final int MOST_AT_A_TIME = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(TopicLogs.class);

    private final TopicCatalog catalog;
    private final EntryLog entries;
    private final DeletedLogs deleted;
    private CompletionStage<Void> last = CompletableFuture.completedFuture(null); // guarded by this

    TopicLogs(TopicCatalog catalog, EntryLog entries, DeletedLogs deleted) {
        this.catalog = catalog;
        this.entries = entries;
        this.deleted = deleted;
    }

    /** Makes the logs of the partitions from a number on. */
    CompletionStage<Void> make(Topic topic, int from) {
        return each(topic, from, partition -> entries.create(stream(topic, partition), topic.id()));
    }

    /** Notes what the cold tier is to forget, before a topic goes. */
    CompletionStage<Void> noteForColdTier(Topic topic) {
        return each(topic, 0, partition -> deleted.note(stream(topic, partition), topic.id()));
    }

    /** Removes all logs of a topic's incarnation. */
    CompletionStage<Void> remove(Topic topic) {
        return each(topic, 0, partition -> entries.delete(stream(topic, partition), topic.id()));
    }

    /** Removes the logs of a topic without a row; never fails, since the next sweep takes it up again. */
    CompletionStage<Void> finishRemoval(Topic removed) {
        return remove(removed).thenCompose(nothing -> catalog.forget(removed)).exceptionally(failure -> {
            LOG.atWarn()
                    .addKeyValue("topic", removed.name())
                    .setCause(failure)
                    .log("the logs of a deleted topic are still there; they are removed later");
            return null;
        });
    }

    /** Finishes all removals that were begun; never fails. */
    void sweep() {
        catalog.removed().whenComplete((removed, failure) -> {
            if (failure != null) {
                LOG.atDebug().setCause(failure).log("could not read which deletions are to be finished");
            } else {
                removed.forEach(this::finishRemoval);
            }
        });
    }

    /** The log of one partition. */
    static StreamName stream(Topic topic, int partition) {
        return new StreamName(topic.name() + ":" + partition);
    }

    private synchronized CompletionStage<Void> each(Topic topic, int from, IntFunction<CompletionStage<Void>> action) {
        CompletionStage<Void> mine = last.thenCompose(before -> inParts(topic, from, action));
        last = mine.exceptionally(failure -> null);
        return mine;
    }

    private static CompletionStage<Void> inParts(Topic topic, int from, IntFunction<CompletionStage<Void>> action) {
        int to = Math.min(topic.partitions(), from + MOST_AT_A_TIME);
        CompletionStage<Void> part = CompletableFuture.allOf(IntStream.range(from, to)
                .mapToObj(action)
                .map(CompletionStage::toCompletableFuture)
                .toArray(CompletableFuture[]::new));
        return to >= topic.partitions() ? part : part.thenCompose(done -> inParts(topic, to, action));
    }
}
