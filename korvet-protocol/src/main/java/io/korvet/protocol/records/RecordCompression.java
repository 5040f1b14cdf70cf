package io.korvet.protocol.records;

import io.korvet.protocol.ProtocolException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.ByteBufferOutputStream;
import org.xerial.snappy.Snappy;

/**
 * The codecs of Kafka's record batches, with a limit on what decompression may produce.
 *
 * <p>gzip, lz4 and zstd go through the streams of kafka-clients. Reading snappy is done here: its stream believes the length in
 * front of a block before anything of it is read, so a few bytes could claim gigabytes.
 */
final class RecordCompression {

    /** A codec's working buffers (up to a few MiB), kept from batch to batch. */
    private static final FastThreadLocal<BufferSupplier> WORKSPACE = new FastThreadLocal<>() {
        @Override
        protected BufferSupplier initialValue() {
            return BufferSupplier.create();
        }
    };

    private static final int GROWTH_GUESS = 4;
    private static final int LEAST_CAPACITY = 512;

    /** Magic, version and lowest compatible version in front of snappy blocks as snappy-java frames them. */
    private static final int SNAPPY_FRAME_HEADER_BYTES = 16;

    private static final long SNAPPY_FRAME_MAGIC = 0x82534E4150505900L;

    private RecordCompression() {}

    /**
     * Decompresses into a new heap buffer, which the caller releases.
     *
     * @throws ProtocolException MESSAGE_TOO_LARGE past the limit, with no more than the limit ever allocated; CORRUPT_MESSAGE
     *     for bytes the codec can't read
     */
    static ByteBuf decompress(CompressionType type, ByteBuffer source, ByteBufAllocator allocator, int maxBytes) {
        int guess = (int) Math.min(maxBytes, Math.max(LEAST_CAPACITY, (long) source.remaining() * GROWTH_GUESS));
        ByteBuf out = allocator.heapBuffer(guess, maxBytes);
        try {
            if (type == CompressionType.SNAPPY) {
                readSnappy(source, out);
            } else {
                readStream(type, source, out);
            }
            ByteBuf result = out;
            out = null;
            return result;
        } catch (ProtocolException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw new ProtocolException(Errors.CORRUPT_MESSAGE, "Records can't be decompressed as " + type.name, e);
        } finally {
            if (out != null) {
                out.release();
            }
        }
    }

    /** Compresses a whole batch's records. */
    static ByteBuffer compress(CompressionType type, ByteBuffer source) {
        ByteBufferOutputStream target = new ByteBufferOutputStream(LEAST_CAPACITY + source.remaining() / 2);
        try (OutputStream stream = Compression.of(type).build().wrapForOutput(target, RecordBatch.MAGIC)) {
            byte[] chunk = new byte[Math.min(source.remaining(), 16 * 1024)];
            while (source.hasRemaining()) {
                int length = Math.min(chunk.length, source.remaining());
                source.get(chunk, 0, length);
                stream.write(chunk, 0, length);
            }
        } catch (IOException e) {
            throw new IllegalStateException("Records can't be compressed as " + type.name, e);
        }
        return target.buffer().flip();
    }

    private static void readStream(CompressionType type, ByteBuffer source, ByteBuf out) throws IOException {
        try (InputStream stream =
                Compression.of(type).build().wrapForInput(source, RecordBatch.MAGIC, WORKSPACE.get())) {
            while (true) {
                if (!out.isWritable()) {
                    if (out.capacity() == out.maxCapacity()) {
                        if (stream.read() >= 0) {
                            throw tooLarge(out.maxCapacity());
                        }
                        return;
                    }
                    out.capacity((int) Math.min(out.maxCapacity(), 2L * out.capacity()));
                }
                if (out.writeBytes(stream, out.writableBytes()) < 0) {
                    return;
                }
            }
        }
    }

    /** Reads snappy with snappy-java's framing, or one bare block as librdkafka writes it. */
    private static void readSnappy(ByteBuffer source, ByteBuf out) throws IOException {
        byte[] bytes = new byte[source.remaining()];
        source.get(bytes);
        ByteBuffer view = ByteBuffer.wrap(bytes);
        if (bytes.length < SNAPPY_FRAME_HEADER_BYTES || view.getLong(0) != SNAPPY_FRAME_MAGIC) {
            readSnappyBlock(bytes, 0, bytes.length, out);
            return;
        }
        view.position(SNAPPY_FRAME_HEADER_BYTES);
        while (view.hasRemaining()) {
            int length = view.getInt();
            if (length < 0 || length > view.remaining()) {
                throw new IOException("snappy block of " + length + " bytes with " + view.remaining() + " left");
            }
            readSnappyBlock(bytes, view.position(), length, out);
            view.position(view.position() + length);
        }
    }

    private static void readSnappyBlock(byte[] bytes, int from, int length, ByteBuf out) throws IOException {
        int plain = Snappy.uncompressedLength(bytes, from, length);
        if (plain < 0 || plain > out.maxCapacity() - out.writerIndex()) {
            throw tooLarge(out.maxCapacity());
        }
        out.ensureWritable(plain);
        int written = Snappy.uncompress(bytes, from, length, out.array(), out.arrayOffset() + out.writerIndex());
        out.writerIndex(out.writerIndex() + written);
    }

    private static ProtocolException tooLarge(int limit) {
        return new ProtocolException(
                Errors.MESSAGE_TOO_LARGE, "The records of a batch take more than " + limit + " bytes decompressed");
    }
}
