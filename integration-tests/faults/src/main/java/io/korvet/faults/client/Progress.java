package io.korvet.faults.client;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

/**
 * How far each client has come in each partition, as the timestamp of the newest record that it got acknowledged, read or
 * committed; tells when all have come past a mark. Thread-safe.
 */
final class Progress {
    /** What clients do, each with one client or more. */
    enum Kind {
        /** Records are acknowledged to every producer. */
        PRODUCE,
        /** Records are read by every reader. */
        READ,
        /** Records are read and committed by some member of the group. */
        COMMIT
    }

    private final Map<Kind, Map<Integer, AtomicLongArray>> newest = new ConcurrentHashMap<>();
    private final Map<String, Long> marks = new TreeMap<>();

    private Map<Integer, AtomicLongArray> of(Kind kind) {
        return newest.computeIfAbsent(kind, key -> new ConcurrentHashMap<>());
    }

    /** Announces a client, so that it is waited for. */
    void add(Kind kind, int client) {
        of(kind).put(client, new AtomicLongArray(Topics.ALL.size()));
    }

    /** A client has come to a record. */
    void reached(Kind kind, int client, int partition, long timestamp) {
        AtomicLongArray array = of(kind).get(client);
        if (array != null) {
            array.accumulateAndGet(partition, timestamp, Math::max);
        }
    }

    /** Sets a mark: what is sent from now on counts. */
    synchronized void mark(String name) {
        for (Kind kind : Kind.values()) {
            marks.put(name + " " + kind, System.currentTimeMillis());
        }
    }

    /** Takes away, and prints, the marks that all have passed. */
    synchronized void report() {
        long now = System.currentTimeMillis();
        marks.entrySet().removeIf(mark -> {
            Kind kind = Kind.valueOf(mark.getKey().substring(mark.getKey().lastIndexOf(' ') + 1));
            boolean passed = of(kind).values().stream()
                    .allMatch(array -> IntStream.range(0, array.length())
                            .allMatch(partition -> array.get(partition) > mark.getValue()));
            if (passed) {
                Output.line("passed " + mark.getKey() + " " + (now - mark.getValue()));
            }
            return passed;
        });
    }

    /** Prints who hasn't come past the marks that are left. */
    synchronized void reportMissing() {
        marks.forEach((name, since) -> {
            Kind kind = Kind.valueOf(name.substring(name.lastIndexOf(' ') + 1));
            of(kind).forEach((client, array) -> {
                for (int partition = 0; partition < array.length(); partition++) {
                    if (array.get(partition) <= since) {
                        Output.line("missing " + name + " client " + client + " partition "
                                + Topics.ALL.get(partition) + " since "
                                + (System.currentTimeMillis() - array.get(partition)) + " ms");
                    }
                }
            });
        });
        marks.clear();
    }
}
