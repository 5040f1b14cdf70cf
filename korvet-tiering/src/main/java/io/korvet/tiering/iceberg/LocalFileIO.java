package io.korvet.tiering.iceberg;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.SupportsPrefixOperations;

/**
 * Iceberg's files as local ones, for development, without Hadoop's file systems. Locations are {@code file:///path}, in
 * which nothing is escaped. Stateless and thread-safe; loadable by name, so that Iceberg's catalogs can use it.
 */
public final class LocalFileIO implements SupportsPrefixOperations {

    private static final long serialVersionUID = 1;

    private final LocalRoot root;

    /** Needs no properties. */
    public LocalFileIO() {
        this(LocalRoot.UNKNOWN);
    }

    LocalFileIO(LocalRoot root) {
        this.root = root;
    }

    @Override
    public InputFile newInputFile(String location) {
        return new LocalInputFile(location, root);
    }

    @Override
    public OutputFile newOutputFile(String location) {
        return new LocalOutputFile(location, root);
    }

    @Override
    public void deleteFile(String location) {
        try {
            Files.delete(LocalFiles.path(location));
        } catch (NoSuchFileException e) {
            root.checkThere();
            throw new NotFoundException(e, "no file %s", location);
        } catch (IOException e) {
            throw new RuntimeIOException(e, "deleting %s", location);
        }
    }

    @Override
    public Map<String, String> properties() {
        return Map.of();
    }

    /** The files below a directory, without those still being written. */
    @Override
    public Iterable<FileInfo> listPrefix(String prefix) {
        List<FileInfo> files = new ArrayList<>();
        Path top = LocalFiles.path(prefix);
        String rootLocation = prefix.endsWith("/") ? prefix : prefix + "/";
        walk(top, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String relative = top.relativize(file).toString();
                files.add(new FileInfo(
                        rootLocation + relative,
                        attributes.size(),
                        attributes.lastModifiedTime().toMillis()));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }
        });
        return files;
    }

    @Override
    public void deletePrefix(String prefix) {
        walk(LocalFiles.path(prefix), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
                try {
                    Files.deleteIfExists(directory);
                } catch (DirectoryNotEmptyException e) {
                    // somebody writes there again
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void walk(Path top, SimpleFileVisitor<Path> visitor) {
        try {
            Files.walkFileTree(top, visitor);
        } catch (IOException e) {
            throw new RuntimeIOException(e, "walking through %s", top);
        }
    }
}
