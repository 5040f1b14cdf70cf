package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.RangeReadable;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.SeekableInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A data file as Parquet reads it: by ranges, with the end of the file (footer and page indexes) in memory, so that a
 * page costs one request of its own and nothing else.
 *
 * <p>What the store fails with comes out as {@link ColdTierException}; Parquet's own exceptions are about the bytes.
 */
final class StorageInput implements org.apache.parquet.io.InputFile {

    private final InputFile file;
    private final long length;
    private byte[] tail;

    /** A file of a known length of which nothing is in memory yet. */
    StorageInput(InputFile file, long length) {
        this.file = file;
        this.length = length;
        this.tail = new byte[0];
    }

    /** The file's address. */
    String location() {
        return file.location();
    }

    /** Takes the last bytes into memory, in place of those that are. */
    void keepTail(long bytes) throws IOException {
        int size = (int) Math.min(bytes, length);
        byte[] read = new byte[size];
        try (SeekableInputStream stream = newStream()) {
            stream.seek(length - size);
            stream.readFully(read);
        }
        tail = read;
    }

    /** Gives up what is in memory before a position. */
    void forgetBefore(long position) {
        long start = length - tail.length;
        if (position > start) {
            tail = Arrays.copyOfRange(tail, (int) (position - start), tail.length);
        }
    }

    /** How much of the file's end is in memory. */
    int tailBytes() {
        return tail.length;
    }

    @Override
    public long getLength() {
        return length;
    }

    @Override
    public SeekableInputStream newStream() throws IOException {
        return new Ranges();
    }

    /** Opens the file's own stream only when something outside the tail is asked for. */
    private final class Ranges extends DelegatingSeekableInputStream {

        private org.apache.iceberg.io.@Nullable SeekableInputStream stream;
        private long position;

        Ranges() {
            super(java.io.InputStream.nullInputStream());
        }

        @Override
        public long getPos() {
            return position;
        }

        @Override
        public void seek(long newPosition) {
            position = newPosition;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return position >= length || read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int count) throws IOException {
            if (position >= length) {
                return -1;
            }
            int size = (int) Math.min(count, length - position);
            readFully(bytes, offset, size);
            return size;
        }

        @Override
        public void readFully(byte[] bytes) throws IOException {
            readFully(bytes, 0, bytes.length);
        }

        @Override
        public int read(java.nio.ByteBuffer buffer) throws IOException {
            byte[] bytes = new byte[buffer.remaining()];
            int size = read(bytes, 0, bytes.length);
            if (size > 0) {
                buffer.put(bytes, 0, size);
            }
            return size;
        }

        @Override
        public void readFully(java.nio.ByteBuffer buffer) throws IOException {
            if (buffer.hasArray()) {
                readFully(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
                buffer.position(buffer.limit());
            } else {
                byte[] bytes = new byte[buffer.remaining()];
                readFully(bytes);
                buffer.put(bytes);
            }
        }

        @Override
        public void readFully(byte[] bytes, int offset, int count) throws IOException {
            if (count < 0 || position < 0 || position + count > length) {
                throw new EOFException("bytes " + position + " to " + (position + count) + " of a file of " + length);
            }
            long tailStart = length - tail.length;
            if (position >= tailStart) {
                System.arraycopy(tail, (int) (position - tailStart), bytes, offset, count);
            } else {
                readStored(bytes, offset, count);
            }
            position += count;
        }

        private void readStored(byte[] bytes, int offset, int count) {
            try {
                org.apache.iceberg.io.SeekableInputStream open = stream;
                if (open == null) {
                    open = file.newStream();
                    stream = open;
                }
                if (open instanceof RangeReadable ranges) {
                    ranges.readFully(position, bytes, offset, count);
                } else {
                    open.seek(position);
                    if (open.readNBytes(bytes, offset, count) < count) {
                        throw new EOFException();
                    }
                }
            } catch (EOFException e) {
                throw new ColdTierException(
                        Kind.CORRUPT, file.location() + " is shorter than the table says (" + length + " bytes)", e);
            } catch (IOException | RuntimeException e) {
                throw ReadFailures.ofStorage(file.location(), e);
            }
        }

        @Override
        public void close() throws IOException {
            if (stream != null) {
                stream.close();
            }
        }
    }
}
