package io.korvet.tiering.iceberg;

import java.io.IOException;
import org.apache.iceberg.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;

/**
 * A file as Parquet writes it, with a watch on the time and processor time that go into the object store. For one thread at a time.
 */
final class MeteredFile implements org.apache.parquet.io.OutputFile {

    private final OutputFile file;
    private long nanoseconds;
    private long processorNanoseconds;
    private long written;

    MeteredFile(OutputFile file) {
        this.file = file;
    }

    /** How long writing and closing took so far. */
    long nanoseconds() {
        return nanoseconds;
    }

    /** How much of the writing thread's processor time that took. */
    long processorNanoseconds() {
        return processorNanoseconds;
    }

    /** How many bytes were written. */
    long written() {
        return written;
    }

    @Override
    public PositionOutputStream create(long blockSize) throws IOException {
        return new Metered(file.create());
    }

    @Override
    public PositionOutputStream createOrOverwrite(long blockSize) throws IOException {
        return new Metered(file.createOrOverwrite());
    }

    @Override
    public boolean supportsBlockSize() {
        return false;
    }

    @Override
    public long defaultBlockSize() {
        return 0;
    }

    @Override
    public String getPath() {
        return file.location();
    }

    private final class Metered extends PositionOutputStream {

        private final org.apache.iceberg.io.PositionOutputStream stream;

        Metered(org.apache.iceberg.io.PositionOutputStream stream) {
            this.stream = stream;
        }

        @Override
        public long getPos() {
            return written;
        }

        @Override
        public void write(int one) throws IOException {
            stream.write(one);
            written++;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            long begin = System.nanoTime();
            long processor = ProcessorTime.nanoseconds();
            stream.write(bytes, offset, length);
            processorNanoseconds += ProcessorTime.nanoseconds() - processor;
            nanoseconds += System.nanoTime() - begin;
            written += length;
        }

        @Override
        public void flush() throws IOException {
            stream.flush();
        }

        @Override
        public void close() throws IOException {
            long begin = System.nanoTime();
            long processor = ProcessorTime.nanoseconds();
            stream.close();
            processorNanoseconds += ProcessorTime.nanoseconds() - processor;
            nanoseconds += System.nanoTime() - begin;
        }
    }
}
