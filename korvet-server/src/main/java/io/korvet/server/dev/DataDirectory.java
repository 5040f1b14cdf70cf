package io.korvet.server.dev;

import io.korvet.server.StartException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where {@code --dev} keeps its data: locked against a second Korvet, or made for one run and removed after it. */
public final class DataDirectory implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);
    private static final int LAST_LINES = 10;

    private final Path root;
    private final boolean ephemeral;
    private final FileChannel lockFile;

    private DataDirectory(Path root, boolean ephemeral, FileChannel lockFile) {
        this.root = root;
        this.ephemeral = ephemeral;
        this.lockFile = lockFile;
    }

    /**
     * A directory that stays; made if it isn't there.
     *
     * @throws StartException when it can't be written or another Korvet uses it
     */
    public static DataDirectory lasting(Path directory) {
        return open(directory.toAbsolutePath().normalize(), false);
    }

    /** A directory for this run, removed when Redis has ended, whatever ends it. */
    public static DataDirectory ephemeral() {
        try {
            return open(Files.createTempDirectory("korvet-dev-"), true);
        } catch (IOException e) {
            throw new StartException("There is no room for temporary files: " + e.getMessage(), e);
        }
    }

    private static DataDirectory open(Path root, boolean ephemeral) {
        try {
            Files.createDirectories(root.resolve("redis"));
            FileChannel file =
                    FileChannel.open(root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!isLocked(file)) {
                file.close();
                throw new StartException("Another Korvet uses " + root + "; stop it, or choose another directory with"
                        + " --data-dir, or pass --ephemeral");
            }
            return new DataDirectory(root, ephemeral, file);
        } catch (IOException e) {
            throw new StartException(
                    "The data directory " + root + " can't be used: " + e
                            + "; choose another with --data-dir, or pass --ephemeral",
                    e);
        }
    }

    /** Takes the lock, which the system drops with the process, however that ends. */
    private static boolean isLocked(FileChannel file) throws IOException {
        try {
            return file.tryLock() != null;
        } catch (OverlappingFileLockException heldByThisProcess) {
            return false;
        }
    }

    /** The directory itself. */
    public Path root() {
        return root;
    }

    /** Whether it is removed after this run. */
    public boolean isEphemeral() {
        return ephemeral;
    }

    Path redis() {
        return root.resolve("redis");
    }

    Path pidFile() {
        return redis().resolve("redis.pid");
    }

    Path redisLog() {
        return redis().resolve("redis.log");
    }

    String removedAtEnd() {
        return ephemeral ? root.toString() : "";
    }

    /** What Redis wrote last. */
    String lastRedisWords() {
        try {
            List<String> lines = Files.readAllLines(redisLog());
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
        } catch (IOException e) {
            return "(nothing)";
        }
    }

    /** Ends a Redis that an earlier run has left on this directory, if there is one and it is ours. */
    void endLeftOver(Duration patience) {
        Optional<ProcessHandle> found = leftOver();
        if (found.isEmpty()) {
            return;
        }
        ProcessHandle redis = found.get();
        LOG.info("Ending the Redis that an earlier run left behind (process {})", redis.pid());
        redis.destroy();
        try {
            redis.onExit().get(patience.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            redis.destroyForcibly();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The process of the pid file, if its command line names this directory: a pid alone may be somebody else's by now. */
    private Optional<ProcessHandle> leftOver() {
        try {
            long pid = Long.parseLong(Files.readString(pidFile()).strip());
            return ProcessHandle.of(pid)
                    .filter(process -> process.info()
                            .arguments()
                            .map(arguments ->
                                    Arrays.asList(arguments).contains(pidFile().toString()))
                            .orElse(false));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Lets another Korvet have it, and removes it when it was for this run only; idempotent. */
    @Override
    public void close() {
        try {
            lockFile.close();
        } catch (IOException e) {
            LOG.warn("The lock of {} is not released before this process ends: {}", root, e.toString());
        }
        if (ephemeral) {
            remove();
        }
    }

    private void remove() {
        try (Stream<Path> files = Files.walk(root)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException | UncheckedIOException gone) {
            LOG.debug("{} is gone already", root, gone);
        }
    }
}
