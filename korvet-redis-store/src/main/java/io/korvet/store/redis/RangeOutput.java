package io.korvet.store.redis;

import io.korvet.store.EntryFields;
import io.korvet.store.EntrySink;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Hands the answer of {@code XRANGE} to a sink while it is decoded; the result is the number of entries. */
final class RangeOutput extends CommandOutput<String, String, Integer> {

    private enum Next {
        ID,
        NAME,
        VALUE
    }

    private static final byte[][] NAMES = names();

    private final EntrySink sink;
    private Next next = Next.ID;
    private int count;
    private int fieldsLeft;
    private int field;
    private boolean outerSeen;
    /** The name of a field that is none of our own; a name comes with a call of its own. */
    private ByteBuffer otherName = ByteBuffer.allocate(0);

    RangeOutput(EntrySink sink) {
        super(StringCodec.UTF8, 0);
        this.sink = sink;
    }

    private static byte[][] names() {
        byte[][] names = new byte[EntryFields.COUNT][];
        Arrays.setAll(names, field -> EntryFields.name(field).getBytes(StandardCharsets.US_ASCII));
        return names;
    }

    @Override
    public void multi(int size) {
        if (!outerSeen) {
            outerSeen = true;
        } else if (next == Next.NAME) {
            fieldsLeft = size;
        }
    }

    @Override
    public void set(ByteBuffer bytes) {
        if (hasError()) {
            return;
        }
        switch (next) {
            case ID -> {
                entry(bytes);
                next = Next.NAME;
            }
            case NAME -> {
                field = fieldOf(bytes);
                if (field < 0) {
                    keepName(bytes);
                }
                next = Next.VALUE;
                fieldsLeft--;
            }
            case VALUE -> {
                if (field < 0) {
                    sink.otherField(otherName, bytes);
                } else {
                    sink.field(field, bytes);
                }
                fieldsLeft--;
                next = fieldsLeft > 0 ? Next.NAME : Next.ID;
            }
        }
    }

    private void keepName(ByteBuffer name) {
        if (otherName.capacity() < name.remaining()) {
            otherName = ByteBuffer.allocate(name.remaining());
        }
        otherName.clear().put(name).flip();
    }

    private void entry(ByteBuffer id) {
        long milliseconds = 0;
        int at = id.position();
        byte digit = id.get(at);
        while (digit != '-') {
            milliseconds = 10 * milliseconds + digit - '0';
            digit = id.get(++at);
        }
        long sequence = 0;
        for (at++; at < id.limit(); at++) {
            sequence = 10 * sequence + id.get(at) - '0';
        }
        count++;
        output = count;
        sink.entry(milliseconds, sequence);
    }

    private static int fieldOf(ByteBuffer name) {
        for (int i = 0; i < NAMES.length; i++) {
            if (equal(NAMES[i], name)) {
                return i;
            }
        }
        return -1;
    }

    private static boolean equal(byte[] expected, ByteBuffer name) {
        if (name.remaining() != expected.length) {
            return false;
        }
        int start = name.position();
        for (int i = 0; i < expected.length; i++) {
            if (name.get(start + i) != expected[i]) {
                return false;
            }
        }
        return true;
    }
}
