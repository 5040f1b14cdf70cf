package io.korvet.tiering;

import io.korvet.store.HeartbeatTable;
import io.korvet.store.StreamName;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which deleted logs the cold tier is yet to forget, as rows of {@link io.korvet.store.Store#removals()}: whoever
 * deletes a log notes it first, the storage worker crosses it out when the tier has forgotten it. Thread-safe; no call
 * blocks.
 */
public final class DeletedLogs {

    /** An incarnation of a log. */
    public record Incarnation(StreamName stream, String id) {}

    private final HeartbeatTable rows;

    /** Over the store's rows. */
    public DeletedLogs(HeartbeatTable rows) {
        this.rows = rows;
    }

    /** Notes a log that is about to be deleted; it is left alone while it is there. Safe to repeat. */
    public CompletionStage<Void> note(StreamName stream, String incarnation) {
        // As if there was no row; what is there instead comes with the refusal, and a topic has many partitions.
        return change(stream, null, there -> {
            List<String> noted = new ArrayList<>(there);
            noted.add(incarnation);
            return noted.stream().distinct().toList();
        });
    }

    /** Crosses a log out; safe to repeat. */
    public CompletionStage<Void> forget(Incarnation log) {
        return rows.rows()
                .thenCompose(all -> change(
                        log.stream(),
                        all.get(log.stream().value()),
                        there -> there.stream()
                                .filter(incarnation -> !incarnation.equals(log.id()))
                                .toList()));
    }

    /** All logs that are noted. */
    public CompletionStage<List<Incarnation>> all() {
        return rows.rows().thenApply(all -> {
            List<Incarnation> logs = new ArrayList<>();
            for (Map.Entry<String, String> row : all.entrySet()) {
                StreamName stream = new StreamName(row.getKey());
                incarnations(row.getValue()).forEach(id -> logs.add(new Incarnation(stream, id)));
            }
            return logs;
        });
    }

    private CompletionStage<Void> change(StreamName stream, @Nullable String row, UnaryOperator<List<String>> change) {
        List<String> there = row == null ? List.of() : incarnations(row);
        List<String> wanted = change.apply(there);
        if (wanted.equals(there)) {
            return CompletableFuture.completedFuture(null);
        }
        if (wanted.isEmpty()) {
            return rows.remove(stream.value(), row == null ? "" : row)
                    .thenCompose(removed -> removed ? CompletableFuture.completedFuture(null) : again(stream, change));
        }
        return rows.compareAndSet(stream.value(), row, String.join(" ", wanted))
                .thenCompose(other -> other == null
                        ? CompletableFuture.completedFuture(null)
                        : change(stream, other.isEmpty() ? null : other, change));
    }

    private CompletionStage<Void> again(StreamName stream, UnaryOperator<List<String>> change) {
        return rows.rows().thenCompose(all -> change(stream, all.get(stream.value()), change));
    }

    private static List<String> incarnations(String row) {
        return Arrays.stream(row.split(" ", -1)).filter(id -> !id.isEmpty()).toList();
    }
}
