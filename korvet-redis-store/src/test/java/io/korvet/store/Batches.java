package io.korvet.store;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.store.AppendBatch.EncodedEntries;
import io.korvet.store.AppendBatch.Roll;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds batches for tests. */
public final class Batches {

    /** A clock for tests that want none. */
    public static final long NOW = 1_767_225_600_000L;

    private final StreamName stream;
    private final String incarnation;
    private long segment;
    private @Nullable StreamEntryId expectedLast;
    private Roll roll = Roll.STAY;
    private StreamEntryId first = new StreamEntryId(NOW, 0);
    private long sequencesPerMillisecond = 1024;
    private List<WriterUpdate> writers = List.of();
    private long timestamp = NOW;

    private Batches(StreamName stream, String incarnation) {
        this.stream = stream;
        this.incarnation = incarnation;
    }

    /** For an empty log; the first entry is at {@link #NOW}. */
    public static Batches to(StreamName stream, String incarnation) {
        return new Batches(stream, incarnation);
    }

    /** Continues what a state shows, at the next id. */
    public Batches after(LogState state, OffsetEncoding encoding) {
        segment = state.open().number();
        StreamEntryId last = state.last();
        expectedLast = last;
        sequencesPerMillisecond = encoding.sequencesPerMillisecond();
        long proposal = encoding.proposalAt(NOW);
        first = encoding.idOf(
                last == null
                        ? proposal
                        : Math.max(proposal, encoding.offsetOf(last.milliseconds(), last.sequence()) + 1));
        return this;
    }

    /** The open segment as believed. */
    public Batches segment(long number) {
        segment = number;
        return this;
    }

    /** The last id as believed. */
    public Batches expecting(@Nullable StreamEntryId last) {
        expectedLast = last;
        return this;
    }

    /** Seals the open segment first. */
    public Batches rolling() {
        roll = Roll.SEAL_FIRST;
        return this;
    }

    /** The first id. */
    public Batches first(StreamEntryId id) {
        first = id;
        return this;
    }

    /** Where the sequence wraps. */
    public Batches perMillisecond(long sequences) {
        sequencesPerMillisecond = sequences;
        return this;
    }

    /** Writers' states. */
    public Batches writers(WriterUpdate... updates) {
        writers = Arrays.asList(updates);
        return this;
    }

    /** Timestamp of all entries. */
    public Batches timestamp(long milliseconds) {
        timestamp = milliseconds;
        return this;
    }

    /** Entries that have nothing but a value. */
    public AppendBatch values(EntryLog log, String... values) {
        return values(log, Arrays.asList(values));
    }

    /** The same. */
    public AppendBatch values(EntryLog log, Collection<String> values) {
        List<@Nullable String[]> entries = new ArrayList<>();
        values.forEach(value -> entries.add(new String[] {value}));
        return entries(log, entries);
    }

    /** Entries of fields in the order of {@link EntryFields}; null for one that is absent. */
    public AppendBatch entries(EntryLog log, List<@Nullable String[]> entries) {
        EntryEncoder encoder = log.encoder(entries.size(), 64 * entries.size());
        for (@Nullable String[] fields : entries) {
            int shape = 0;
            for (int field = 0; field < fields.length; field++) {
                shape |= fields[field] == null ? 0 : 1 << field;
            }
            encoder.begin(shape, timestamp);
            for (String field : fields) {
                if (field != null) {
                    ByteBuf bytes = Unpooled.wrappedBuffer(field.getBytes(StandardCharsets.UTF_8));
                    encoder.field(bytes, 0, bytes.readableBytes());
                }
            }
        }
        return of(encoder.finish());
    }

    /** Entries encoded elsewhere. */
    public AppendBatch of(EncodedEntries entries) {
        return new AppendBatch(
                stream,
                incarnation,
                segment,
                expectedLast,
                roll,
                first,
                sequencesPerMillisecond,
                writers,
                entries,
                NOW);
    }
}
