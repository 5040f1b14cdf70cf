package io.korvet.server.log;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.jspecify.annotations.Nullable;

/** A consumer of one partition that reads on wherever it is led, and remembers what it was given. */
final class SimulatedReader {

    private record Given(long from, TreeMap<Long, String> records) {}

    private static final int LIMIT = 1 << 16;

    private final List<Given> given = new ArrayList<>();
    private @Nullable AssertionError failure;
    private boolean asking;
    private long position;
    private long highestStart;

    boolean isAsking() {
        return asking;
    }

    long position() {
        return position;
    }

    /** Asks a broker; what is not in its memory it asks the store for. */
    void ask(PartitionLog log) {
        ReadOutcome known = log.reads().inMemory(position, LIMIT, PartitionReads.Effort.KNOWN);
        if (known != null && (known.error() != Errors.NONE || !known.records().isEmpty())) {
            take(known);
            return;
        }
        asking = true;
        var unused = log.reads().fromStore(position, LIMIT).thenAccept(outcome -> {
            asking = false;
            take(outcome);
        });
    }

    private void take(ReadOutcome outcome) {
        switch (outcome.error()) {
            case NONE -> {
                TreeMap<Long, String> records = new TreeMap<>();
                for (ByteBuf buffer : outcome.records()) {
                    for (Record record :
                            MemoryRecords.readableRecords(buffer.nioBuffer()).records()) {
                        if (record.offset() >= position) {
                            String value = StandardCharsets.UTF_8
                                    .decode(record.value())
                                    .toString();
                            if (records.put(record.offset(), value) != null) {
                                failure = new AssertionError("offset " + record.offset() + " is twice in a read");
                            }
                        }
                    }
                }
                outcome.release();
                if (!records.isEmpty()) {
                    given.add(new Given(position, records));
                    position = records.lastKey() + 1;
                }
            }
            case OFFSET_OUT_OF_RANGE -> {
                if (outcome.startOffset() <= position) {
                    failure = new AssertionError("position " + position + " is told to be out of range, from "
                            + outcome.startOffset() + " to " + outcome.endOffset());
                }
                highestStart = Math.max(highestStart, outcome.startOffset());
                position = Math.max(position, outcome.startOffset());
            }
            case KAFKA_STORAGE_ERROR -> {}
            default -> failure = new AssertionError("a read is answered " + outcome.error());
        }
    }

    /** Fails when something was given that is not in the log, or something of the log was passed over. */
    void check(NavigableMap<Long, String> log, long startOffset) {
        if (failure != null) {
            throw failure;
        }
        if (highestStart > startOffset) {
            throw new AssertionError("was told of start " + highestStart + ", it is " + startOffset);
        }
        for (Given read : given) {
            Map<Long, String> there = new TreeMap<>(log.subMap(read.from, true, read.records.lastKey(), true));
            Map<Long, String> seen = new TreeMap<>(read.records);
            // What DeleteRecords or retention took may be seen or not.
            there.keySet().removeIf(offset -> offset < startOffset && !read.records.containsKey(offset));
            if (!there.equals(seen)) {
                throw new AssertionError("read from " + read.from + ": " + seen + ", the log has " + there);
            }
        }
    }
}
