package io.korvet.tiering.iceberg;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;

/** A local file to write; it is on disk when its stream has been closed. */
record LocalOutputFile(String location, LocalRoot root) implements OutputFile {

    private static final int BUFFER_BYTES = 64 << 10;

    @Override
    public PositionOutputStream create() {
        return open(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    @Override
    public PositionOutputStream createOrOverwrite() {
        return open(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
    }

    @Override
    public InputFile toInputFile() {
        return new LocalInputFile(location, root);
    }

    private PositionOutputStream open(OpenOption... options) {
        Path path = LocalFiles.path(location);
        try {
            root.makeFolderOf(path);
            return new LocalOutputStream(path, root, FileChannel.open(path, options));
        } catch (FileAlreadyExistsException e) {
            throw new AlreadyExistsException(e, "there is a file %s", location);
        } catch (NoSuchFileException e) {
            root.checkThere();
            throw new RuntimeIOException("creating %s: its folder has just gone", location);
        } catch (IOException e) {
            throw new RuntimeIOException(e, "creating %s", location);
        }
    }

    /** Counts what is written. For one thread. */
    private static final class LocalOutputStream extends PositionOutputStream {

        private final Path path;
        private final LocalRoot root;
        private final FileChannel channel;
        private final OutputStream stream;
        private long position;

        LocalOutputStream(Path path, LocalRoot root, FileChannel channel) {
            this.path = path;
            this.root = root;
            this.channel = channel;
            this.stream = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
        }

        @Override
        public long getPos() {
            return position;
        }

        @Override
        public long storedLength() throws IOException {
            flush();
            return position;
        }

        @Override
        public void write(int one) throws IOException {
            stream.write(one);
            position++;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            stream.write(bytes, offset, length);
            position += length;
        }

        @Override
        public void flush() throws IOException {
            stream.flush();
        }

        @Override
        public void close() throws IOException {
            if (!channel.isOpen()) {
                return;
            }
            try (channel) {
                stream.flush();
                channel.force(true);
            }
            try {
                LocalFiles.force(path);
            } catch (NoSuchFileException e) {
                root.checkThere();
                throw new IOException("the folder of " + path + " has gone while it was written");
            }
        }
    }
}
