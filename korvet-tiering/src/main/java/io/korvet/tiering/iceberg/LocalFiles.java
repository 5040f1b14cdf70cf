package io.korvet.tiering.iceberg;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Objects as files. An object is created by writing a file of another name, forcing it to disk and linking it to its
 * name, which fails if the name is there: so it is there as a whole or not at all. The file system must have hard links.
 */
final class LocalFiles implements ObjectStore {

    /** What the names of files that are not yet objects begin with. */
    static final String UNFINISHED = ".unfinished-";

    private final LocalRoot root;

    /** In or below a directory that is there. */
    LocalFiles(LocalRoot root) {
        this.root = root;
    }

    /** The path of a location, {@code file:///a b} or {@code /a b}; nothing in it is escaped. */
    static Path path(String location) {
        if (!location.startsWith("file:")) {
            return Path.of(location);
        }
        String path = location.substring("file:".length());
        return Path.of(path.startsWith("//") ? path.substring(2) : path);
    }

    @Override
    public Creation create(String location, byte[] content) {
        Path target = path(location);
        try {
            Path unfinished = writeBeside(target, content);
            try {
                Files.createLink(target, unfinished);
            } catch (FileAlreadyExistsException e) {
                return Creation.TAKEN;
            } finally {
                Files.deleteIfExists(unfinished);
            }
            force(target);
            return Creation.CREATED;
        } catch (NoSuchFileException e) {
            throw folderGone(target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void replace(String location, byte[] content) {
        Path target = path(location);
        try {
            Files.move(
                    writeBeside(target, content),
                    target,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (NoSuchFileException e) {
            throw folderGone(target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public byte @Nullable [] read(String location) {
        try {
            return Files.readAllBytes(path(location));
        } catch (NoSuchFileException e) {
            root.checkThere();
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean exists(String location) {
        if (Files.exists(path(location))) {
            return true;
        }
        root.checkThere();
        return false;
    }

    @Override
    public List<String> names(String directory) {
        try (Stream<Path> files = Files.list(path(directory))) {
            return files.map(file -> file.getFileName().toString()).toList();
        } catch (NoSuchFileException e) {
            root.checkThere();
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean hasAny(String directory) {
        try (Stream<Path> files = Files.walk(path(directory))) {
            return files.anyMatch(Files::isRegularFile);
        } catch (NoSuchFileException e) {
            root.checkThere();
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void delete(String location) {
        try {
            Files.deleteIfExists(path(location));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {}

    /** A file that isn't there while it is written: nothing that was archived is missing. */
    private UncheckedIOException folderGone(Path target) {
        root.checkThere();
        return new UncheckedIOException(new IOException("the folder of " + target + " has gone while it was written"));
    }

    private Path writeBeside(Path target, byte[] content) throws IOException {
        Path unfinished = target.resolveSibling(UNFINISHED + UUID.randomUUID());
        root.makeFolderOf(target);
        try (FileChannel channel =
                FileChannel.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        return unfinished;
    }

    /** Makes a file's name durable. */
    static void force(Path file) throws IOException {
        Path directory = file.resolveSibling(".");
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
