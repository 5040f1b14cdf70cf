package io.korvet.store.redis;

import io.korvet.store.Segment;
import io.korvet.store.SegmentCatalog;
import io.korvet.store.SegmentState;
import io.korvet.store.StreamName;
import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The sealed segments of each log as rows of a hash; each step in a segment's life is one script. */
final class RedisSegmentCatalog implements SegmentCatalog {

    private static final String KEEP = "0";
    private static final String UNLINK = "1";

    private final KeySchema keys;
    private final RedisRoute route;
    private final RedisEntryLog log;

    RedisSegmentCatalog(KeySchema keys, RedisRoute route, RedisEntryLog log) {
        this.keys = keys;
        this.route = route;
        this.log = log;
    }

    @Override
    public CompletionStage<Outcome> seal(StreamName stream, String incarnation, long segment, long nowMilliseconds) {
        return act(
                "seal segment " + segment,
                Script.SEAL_SEGMENT,
                stream,
                segment + 1,
                List.of(keys.segment(stream, segment)),
                List.of(
                        incarnation,
                        Long.toString(segment),
                        Long.toString(segment + 1),
                        Long.toString(nowMilliseconds)));
    }

    @Override
    public CompletionStage<Outcome> markOffloaded(
            StreamName stream, String incarnation, long segment, String remoteFile) {
        return move(stream, incarnation, segment, SegmentState.SEALED, SegmentState.OFFLOADED, remoteFile, KEEP);
    }

    @Override
    public CompletionStage<Outcome> dropLocal(StreamName stream, String incarnation, long segment) {
        return move(stream, incarnation, segment, SegmentState.OFFLOADED, SegmentState.DROPPED, "", UNLINK);
    }

    private CompletionStage<Outcome> move(
            StreamName stream,
            String incarnation,
            long segment,
            SegmentState from,
            SegmentState to,
            String remoteFile,
            String entries) {
        return act(
                "move segment " + segment + " to " + to,
                Script.MOVE_SEGMENT,
                stream,
                segment,
                List.of(),
                List.of(incarnation, Long.toString(segment), from.name(), to.name(), remoteFile, entries));
    }

    @Override
    public CompletionStage<Outcome> remove(StreamName stream, String incarnation, long segment, long newStartOffset) {
        return act(
                "remove segment " + segment,
                Script.REMOVE_SEGMENT,
                stream,
                segment,
                List.of(),
                List.of(incarnation, Long.toString(segment), Long.toString(newStartOffset)));
    }

    private CompletionStage<Outcome> act(
            String name,
            Script script,
            StreamName stream,
            long streamSegment,
            List<String> furtherKeys,
            List<String> values) {
        List<String> all = new ArrayList<>(List.of(
                keys.meta(stream),
                keys.segments(stream),
                keys.segment(stream, streamSegment),
                keys.times(stream, streamSegment)));
        all.addAll(furtherKeys);
        return route.send(RedisCall.number(
                        name + " of " + stream,
                        Effect.CHANGES,
                        CommandType.EVALSHA,
                        RedisCall.arguments(script, all, values)))
                .thenApply(answer -> switch (answer.intValue()) {
                    case 1 -> Outcome.DONE;
                    case 0 -> Outcome.NOT_APPLICABLE;
                    default -> Outcome.FENCED;
                });
    }

    @Override
    public CompletionStage<Integer> pruneWriters(StreamName stream, Predicate<String> expired) {
        return route.send(RedisCall.list(
                        "writers of " + stream,
                        Effect.READS,
                        CommandType.HGETALL,
                        RedisCall.arguments().addKey(keys.producers(stream))))
                .thenCompose(flat -> {
                    List<String> gone = new ArrayList<>();
                    Rows.map(flat).forEach((writer, state) -> {
                        if (expired.test(state)) {
                            gone.add(writer);
                            gone.add(state);
                        }
                    });
                    return gone.isEmpty() ? CompletableFuture.completedStage(0) : prune(stream, gone);
                });
    }

    private CompletionStage<Integer> prune(StreamName stream, List<String> writersAndStates) {
        return route.send(RedisCall.number(
                        "prune writers of " + stream,
                        Effect.CHANGES,
                        CommandType.EVALSHA,
                        RedisCall.arguments(Script.PRUNE_WRITERS, List.of(keys.producers(stream)), writersAndStates)))
                .thenApply(Long::intValue);
    }

    @Override
    public CompletionStage<@Nullable Segment> segment(StreamName stream, long segment) {
        return log.state(stream).thenApply(state -> {
            if (state == null) {
                return null;
            }
            if (state.open().number() == segment) {
                return state.open();
            }
            return state.sealed().stream()
                    .filter(candidate -> candidate.number() == segment)
                    .findFirst()
                    .orElse(null);
        });
    }
}
