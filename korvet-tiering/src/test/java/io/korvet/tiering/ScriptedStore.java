package io.korvet.tiering;

import io.korvet.offsets.DenseEncoding;
import io.korvet.store.EntryLog;
import io.korvet.store.LeaseStore;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentCatalog;
import io.korvet.store.SegmentCatalog.Outcome;
import io.korvet.store.SegmentState;
import io.korvet.store.Store;
import io.korvet.store.StreamName;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The few calls of a store that the worker makes, on states that a test draws; each call can be held back or made to fail.
 * For one thread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the proxies return them as objects
final class ScriptedStore implements LeaseStore {

    /** A call of the worker: {@code "remove orders:0/3"}. */
    record Call(String name, String stream, String detail) {
        @Override
        public String toString() {
            return name + " " + stream + detail;
        }
    }

    final Map<String, LogState> logs = new HashMap<>();
    final List<String> calls = new ArrayList<>();
    final Map<String, String> leases = new HashMap<>();
    /** Stands between a call and its answer, by the call's text; the answer comes when the stage completes. */
    final Map<String, CompletableFuture<Void>> gates = new HashMap<>();

    /** A port of which only the methods in the script answer. */
    private static <T> T port(Class<T> port, Map<String, Function<Object[], Object>> script) {
        return port.cast(Proxy.newProxyInstance(
                port.getClassLoader(), new Class<?>[] {port}, (proxy, method, given) -> {
                    Function<Object[], Object> answer = script.get(method.getName());
                    if (answer == null) {
                        throw new UnsupportedOperationException("not in the script: " + method);
                    }
                    return answer.apply(given == null ? new Object[0] : given);
                }));
    }

    Store store() {
        EntryLog entries = port(EntryLog.class, Map.of("state", given -> state((StreamName) given[0])));
        SegmentCatalog segments = port(
                SegmentCatalog.class,
                Map.of(
                        "seal",
                                given -> seal(
                                        (StreamName) given[0], (String) given[1], (Long) given[2], (Long) given[3]),
                        "remove",
                                given -> remove(
                                        (StreamName) given[0], (String) given[1], (Long) given[2], (Long) given[3]),
                        "pruneWriters", given -> pruneWriters((StreamName) given[0], (Predicate<?>) given[1])));
        return port(
                Store.class,
                Map.of("entries", given -> entries, "segments", given -> segments, "leases", given -> this));
    }

    private <T> CompletableFuture<T> answer(String name, StreamName stream, String detail, Supplier<T> act) {
        String call = new Call(name, stream.value(), detail).toString();
        calls.add(call);
        return gates.getOrDefault(call, CompletableFuture.completedFuture(null)).thenApply(open -> act.get());
    }

    private Object state(StreamName stream) {
        return answer("state", stream, "", () -> logs.get(stream.value()));
    }

    private Object seal(StreamName stream, String incarnation, long segment, long now) {
        return answer("seal", stream, "/" + segment, () -> {
            LogState log = logs.get(stream.value());
            if (log == null || !log.incarnation().equals(incarnation)) {
                return Outcome.FENCED;
            }
            if (log.open().number() != segment) {
                return Outcome.NOT_APPLICABLE;
            }
            List<Segment> sealed = new ArrayList<>(log.sealed());
            Segment open = log.open();
            sealed.add(new Segment(
                    open.number(),
                    SegmentState.SEALED,
                    open.first(),
                    open.last(),
                    open.firstTimestamp(),
                    open.lastTimestamp(),
                    open.lastTimestampId(),
                    open.entries(),
                    open.bytes(),
                    open.openedMilliseconds(),
                    null));
            logs.put(
                    stream.value(),
                    new LogState(
                            incarnation,
                            log.startOffset(),
                            log.last(),
                            segment(segment + 1, SegmentState.OPEN, 0, now),
                            sealed,
                            log.entries(),
                            log.bytes()));
            return Outcome.DONE;
        });
    }

    private Object remove(StreamName stream, String incarnation, long segment, long start) {
        return answer("remove", stream, "/" + segment + " start " + start, () -> {
            LogState log = logs.get(stream.value());
            if (log == null || !log.incarnation().equals(incarnation)) {
                return Outcome.FENCED;
            }
            Segment oldest = log.sealed().get(0);
            if (oldest.number() != segment) {
                return Outcome.NOT_APPLICABLE;
            }
            logs.put(
                    stream.value(),
                    new LogState(
                            incarnation,
                            Math.max(start, log.startOffset()),
                            log.last(),
                            log.open(),
                            log.sealed().subList(1, log.sealed().size()),
                            log.entries() - oldest.entries(),
                            log.bytes() - oldest.bytes()));
            return Outcome.DONE;
        });
    }

    private Object pruneWriters(StreamName stream, Predicate<?> expired) {
        return answer("prune", stream, "", () -> expired == null ? 0 : 1);
    }

    @Override
    public CompletableFuture<Boolean> acquire(String name, String token, Duration duration) {
        return answer(
                "acquire",
                new StreamName(name),
                "",
                () -> leases.merge(name, token, (held, own) -> held).equals(token));
    }

    @Override
    public CompletableFuture<Boolean> release(String name, String token) {
        return answer("release", new StreamName(name), "", () -> leases.remove(name, token));
    }

    /** A log with sealed segments 0 to n-1 and an open segment n, 10 entries each, stamped and opened at a time. */
    void draw(String stream, String incarnation, int sealedSegments, long milliseconds) {
        List<Segment> sealed = new ArrayList<>();
        for (int number = 0; number < sealedSegments; number++) {
            sealed.add(segment(number, SegmentState.SEALED, 10, milliseconds));
        }
        Segment open = segment(sealedSegments, SegmentState.OPEN, 10, milliseconds);
        long entries = 10L * (sealedSegments + 1);
        logs.put(stream, new LogState(incarnation, 0, open.last(), open, sealed, entries, entries * 10));
    }

    private static Segment segment(long number, SegmentState state, long entries, long milliseconds) {
        DenseEncoding dense = new DenseEncoding();
        boolean empty = entries == 0;
        return new Segment(
                number,
                state,
                empty ? null : dense.idOf(number * 10),
                empty ? null : dense.idOf(number * 10 + 9),
                empty ? -1 : milliseconds,
                empty ? -1 : milliseconds,
                empty ? null : dense.idOf(number * 10),
                entries,
                entries * 10,
                milliseconds,
                null);
    }
}
