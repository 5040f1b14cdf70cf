package io.korvet.tiering.iceberg;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.EntryFields;
import io.korvet.store.EntrySink;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.store.StreamName;
import io.korvet.tiering.ColdSegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A segment as it should be read back: rows in the order of ids, every byte of them. */
record SegmentModel(long number, List<Row> rows) {

    static final StreamName STREAM = new StreamName("orders:0");
    static final String STREAM_KEY = "korvet:storage:local:{orders:0}";
    static final String INCARNATION = "incarnation-1";

    /** One row. */
    record Row(StreamEntryId id, long timestamp, Map<String, byte[]> fields) {

        /** As a sink sees it. */
        Seen seen() {
            List<String> seen = new ArrayList<>();
            fields.forEach((name, value) ->
                    seen.add(number(name) + "=" + HexFormat.of().formatHex(value)));
            return new Seen(id, seen);
        }

        private static int number(String name) {
            for (int field = 0; field < EntryFields.COUNT; field++) {
                if (EntryFields.name(field).equals(name)) {
                    return field;
                }
            }
            return -1;
        }
    }

    /** A row with its fields as {@code number=hex}. */
    record Seen(StreamEntryId id, List<String> fields) {}

    /** Keeps what it is given. */
    static final class Sink implements EntrySink {
        final List<Seen> rows = new ArrayList<>();

        @Override
        public void entry(long milliseconds, long sequence) {
            rows.add(new Seen(new StreamEntryId(milliseconds, sequence), new ArrayList<>()));
        }

        @Override
        public void field(int field, ByteBuffer value) {
            byte[] bytes = new byte[value.remaining()];
            value.get(bytes);
            rows.get(rows.size() - 1).fields().add(field + "=" + HexFormat.of().formatHex(bytes));
        }
    }

    /** How ids of a log look. */
    enum Ids {
        /** Milliseconds with a few per millisecond. */
        TIME,
        /** Milliseconds whose number of digits changes in between. */
        TIME_OF_MORE_DIGITS,
        /** The number after the dash counts, with gaps. */
        DENSE
    }

    /** Rows with random sizes, keys, headers, absent, empty and unknown fields. */
    static SegmentModel random(Random random, long number, StreamEntryId after, int count, Ids ids) {
        List<Row> rows = new ArrayList<>();
        StreamEntryId id = after;
        for (int i = 0; i < count; i++) {
            id = next(random, id, ids);
            Map<String, byte[]> fields = new LinkedHashMap<>();
            if (random.nextInt(10) > 0) {
                fields.put("value", bytes(random, random.nextInt(20) == 0 ? 5_000 : 60));
            }
            if (random.nextBoolean()) {
                fields.put("key", bytes(random, 12));
            }
            if (random.nextInt(4) == 0) {
                fields.put("headers", bytes(random, 40));
            }
            if (random.nextInt(3) > 0) {
                fields.put(
                        "timestamp",
                        Long.toString(id.milliseconds()).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            }
            if (random.nextInt(50) == 0) {
                fields.put("somebody's", bytes(random, 5));
            }
            long timestamp = id.milliseconds() + random.nextInt(10) - 5;
            rows.add(new Row(id, timestamp, fields));
        }
        return new SegmentModel(number, rows);
    }

    private static StreamEntryId next(Random random, StreamEntryId id, Ids ids) {
        return switch (ids) {
            case DENSE -> new StreamEntryId(1, id.sequence() + 1 + (random.nextInt(30) == 0 ? random.nextInt(5) : 0));
            case TIME, TIME_OF_MORE_DIGITS ->
                random.nextInt(4) == 0
                        ? new StreamEntryId(id.milliseconds() + 1 + random.nextInt(5), 0)
                        : new StreamEntryId(id.milliseconds(), id.sequence() + 1);
        };
    }

    private static byte[] bytes(Random random, int most) {
        byte[] bytes = new byte[random.nextInt(most + 1)];
        random.nextBytes(bytes);
        if (random.nextBoolean()) {
            Arrays.fill(bytes, (byte) 'x');
        }
        return bytes;
    }

    StreamEntryId last() {
        return rows.get(rows.size() - 1).id();
    }

    /** The rows that a read from an id sees. */
    List<Seen> from(StreamEntryId from) {
        return rows.stream()
                .filter(row -> row.id().compareTo(from) >= 0)
                .map(Row::seen)
                .toList();
    }

    /** The segment as the store's catalog has it. */
    ColdSegment segment() {
        return segment(rows.size(), last());
    }

    /** The same with other facts in the catalog. */
    ColdSegment segment(long entries, StreamEntryId last) {
        long bytes = rows.stream()
                .flatMap(row -> row.fields().values().stream())
                .mapToLong(value -> value.length)
                .sum();
        long least = rows.stream().mapToLong(Row::timestamp).min().orElseThrow();
        long most = rows.stream().mapToLong(Row::timestamp).max().orElseThrow();
        return new ColdSegment(
                STREAM,
                INCARNATION,
                new Segment(
                        number,
                        SegmentState.DROPPED,
                        rows.get(0).id(),
                        last,
                        least,
                        most,
                        last,
                        entries,
                        bytes,
                        0,
                        "somewhere"));
    }
}
