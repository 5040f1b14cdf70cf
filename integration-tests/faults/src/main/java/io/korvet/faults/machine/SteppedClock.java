package io.korvet.faults.machine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The wall clock of one process, which can be stepped while it runs: a small library, compiled here and preloaded into the process, adds
 * what a file says.
 */
public final class SteppedClock {
    private static final String LIBRARY = "stepped_clock.so";

    private final Path library;
    private final Path file;

    private SteppedClock(Path library, Path file) {
        this.library = library;
        this.file = file;
    }

    /** Compiles the library into a folder; empty when there is no C compiler that can. */
    public static Optional<Path> library(Path folder) {
        if (!Shell.has("cc")) {
            return Optional.empty();
        }
        Path source = folder.resolve("stepped_clock.c");
        Path library = folder.resolve(LIBRARY);
        try (InputStream code = SteppedClock.class.getResourceAsStream("/stepped_clock.c")) {
            if (code == null) {
                throw new IllegalStateException("the source of the stepped clock is missing");
            }
            Files.write(source, code.readAllBytes());
            Shell.run(List.of("cc", "-O2", "-shared", "-fPIC", "-o", library.toString(), source.toString(), "-ldl"));
            return Optional.of(library);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (IllegalStateException e) {
            return Optional.empty();
        }
    }

    /** A clock that is right so far. */
    public static SteppedClock with(Path library, Path file) {
        SteppedClock clock = new SteppedClock(library, file);
        clock.set(Duration.ZERO);
        return clock;
    }

    /** What goes before a command so that it has this clock. */
    public List<String> prefix() {
        return List.of("env", "LD_PRELOAD=" + library, "STEPPED_CLOCK_FILE=" + file);
    }

    /** Steps it to so much ahead of the machine's. */
    public void set(Duration ahead) {
        ByteBuffer number = ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(ahead.toSeconds())
                .flip();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(number, 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
