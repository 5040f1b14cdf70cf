package io.korvet.tiering.iceberg;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.RangeReadable;
import org.apache.iceberg.io.SeekableInputStream;

/** A local file to read. */
record LocalInputFile(String location, LocalRoot root) implements InputFile {

    @Override
    public long getLength() {
        try {
            return Files.size(LocalFiles.path(location));
        } catch (NoSuchFileException e) {
            root.checkThere();
            throw new NotFoundException(e, "no file %s", location);
        } catch (IOException e) {
            throw new RuntimeIOException(e, "looking at %s", location);
        }
    }

    @Override
    public SeekableInputStream newStream() {
        try {
            return new LocalInputStream(LocalFiles.path(location));
        } catch (NoSuchFileException e) {
            root.checkThere();
            throw new NotFoundException(e, "no file %s", location);
        } catch (IOException e) {
            throw new RuntimeIOException(e, "opening %s", location);
        }
    }

    @Override
    public boolean exists() {
        return Files.exists(LocalFiles.path(location));
    }

    /** A position in an open file. For one thread. */
    private static final class LocalInputStream extends SeekableInputStream implements RangeReadable {

        private final FileChannel channel;
        private long position;

        LocalInputStream(Path path) throws IOException {
            channel = FileChannel.open(path, StandardOpenOption.READ);
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
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = channel.read(ByteBuffer.wrap(bytes, offset, length), position);
            position += Math.max(0, read);
            return read;
        }

        @Override
        public void readFully(long from, byte[] bytes, int offset, int length) throws IOException {
            ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, length);
            while (buffer.hasRemaining()) {
                int read = channel.read(buffer, from + buffer.position() - offset);
                if (read < 0) {
                    throw new EOFException("the file ends before " + (from + length));
                }
            }
        }

        @Override
        public int readTail(byte[] bytes, int offset, int length) throws IOException {
            int tail = (int) Math.min(length, channel.size());
            readFully(channel.size() - tail, bytes, offset, tail);
            return tail;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
