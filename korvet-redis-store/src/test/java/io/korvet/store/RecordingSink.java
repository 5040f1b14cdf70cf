package io.korvet.store;

import io.korvet.offsets.StreamEntryId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Keeps what a read gives it, as text. */
public final class RecordingSink implements EntrySink {

    /** One entry: its id and its fields by index ({@link EntryFields}), -1 for any other. */
    public record Entry(StreamEntryId id, TreeMap<Integer, String> fields) {
        /** The value. */
        public String value() {
            return fields.getOrDefault(EntryFields.VALUE, "");
        }
    }

    private final List<Entry> entries = new ArrayList<>();

    /** What has come so far. */
    public List<Entry> entries() {
        return entries;
    }

    @Override
    public void entry(long milliseconds, long sequence) {
        entries.add(new Entry(new StreamEntryId(milliseconds, sequence), new TreeMap<>()));
    }

    @Override
    public void field(int field, ByteBuffer value) {
        entries.get(entries.size() - 1)
                .fields()
                .put(field, StandardCharsets.UTF_8.decode(value).toString());
    }
}
