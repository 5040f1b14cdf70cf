package io.korvet.faults.history;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Keeps the events of one client in a file, in the order in which they are given. Thread-safe. */
public final class HistoryWriter implements AutoCloseable {
    private final BufferedWriter file;
    private boolean closed;

    /** Makes the file. */
    public HistoryWriter(Path path) {
        try {
            file = Files.newBufferedWriter(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds an event; after the end it is dropped. */
    public synchronized void add(Event event) {
        if (closed) {
            return;
        }
        try {
            file.write(EventLine.write(event));
            file.write('\n');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
