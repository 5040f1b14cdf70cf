package io.korvet.store.redis;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Writes RESP bulk strings. */
final class RespWriter {

    private static final int CRLF = '\r' << 8 | '\n';
    private static final int MAX_DIGITS = 20;

    private RespWriter() {}

    /** Most bytes that a bulk string has beyond its content. */
    static final int OVERHEAD = 16;

    static void bulk(ByteBuf out, byte[] bytes) {
        header(out, bytes.length);
        out.writeBytes(bytes);
        out.writeShort(CRLF);
    }

    static void bulk(ByteBuf out, String text) {
        bulk(out, text.getBytes(StandardCharsets.UTF_8));
    }

    static void bulk(ByteBuf out, ByteBuf source, int index, int length) {
        header(out, length);
        out.writeBytes(source, index, length);
        out.writeShort(CRLF);
    }

    /** Writes a number in decimal; answers how many characters it has. */
    static int bulk(ByteBuf out, long decimal) {
        int digits = digits(decimal);
        header(out, digits);
        decimal(out, decimal, digits);
        out.writeShort(CRLF);
        return digits;
    }

    /** A length below 10,000 and what stands around it fit one write of eight bytes, of which the last are not kept. */
    private static void header(ByteBuf out, int length) {
        out.ensureWritable(length + OVERHEAD);
        if (length >= 10_000) {
            out.writeByte('$');
            decimal(out, length, digits(length));
            out.writeShort(CRLF);
            return;
        }
        long bytes = '$';
        int count = 4;
        if (length >= 1_000) {
            bytes = (bytes << 8) | ('0' + length / 1_000);
            count++;
        }
        if (length >= 100) {
            bytes = (bytes << 8) | ('0' + length / 100 % 10);
            count++;
        }
        if (length >= 10) {
            bytes = (bytes << 8) | ('0' + length / 10 % 10);
            count++;
        }
        bytes = (bytes << 24) | (('0' + length % 10) << 16) | CRLF;
        int start = out.writerIndex();
        out.setLong(start, bytes << (8 * (Long.BYTES - count)));
        out.writerIndex(start + count);
    }

    /** How many characters a number has in decimal. */
    static int digits(long number) {
        if (number < 0) {
            return number == Long.MIN_VALUE ? MAX_DIGITS : 1 + digits(-number);
        }
        int digits = 1;
        for (long power = 10; digits < MAX_DIGITS - 1 && number >= power; power *= 10) {
            digits++;
        }
        return digits;
    }

    private static void decimal(ByteBuf out, long number, int length) {
        int start = out.writerIndex();
        int at = start + length;
        long rest = number;
        while (rest > 9 || rest < -9) {
            int pair = (int) Math.abs(rest % 100);
            at -= 2;
            out.setShort(at, (('0' + pair / 10) << 8) | ('0' + pair % 10));
            rest /= 100;
        }
        if (rest != 0 || number == 0) {
            out.setByte(--at, '0' + (int) Math.abs(rest));
        }
        if (number < 0) {
            out.setByte(start, '-');
        }
        out.writerIndex(start + length);
    }
}
