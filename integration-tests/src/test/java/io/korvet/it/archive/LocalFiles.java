package io.korvet.it.archive;

import java.nio.file.Path;
import org.apache.iceberg.Files;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** Reads files of this machine for Iceberg; {@code s3://bucket/…} too, where the buckets of a test's server lie. */
final class LocalFiles implements FileIO {
    private static final long serialVersionUID = 1L;

    private final String bucket;
    private final String folder;

    /**
     * Files of one bucket.
     *
     * @param bucket as locations begin, {@code file://} for none
     * @param folder where its objects lie as files
     */
    LocalFiles(String bucket, Path folder) {
        this.bucket = bucket;
        this.folder = folder.toString();
    }

    /** Where a location lies. */
    Path path(String location) {
        return location.startsWith(bucket)
                ? Path.of(folder + location.substring(bucket.length()))
                : Path.of(location.replaceFirst("^file:(//)?", ""));
    }

    @Override
    public InputFile newInputFile(String location) {
        return Files.localInput(path(location).toFile());
    }

    @Override
    public OutputFile newOutputFile(String location) {
        throw new AssertionError("a reader writes nothing: " + location);
    }

    @Override
    public void deleteFile(String location) {
        throw new AssertionError("a reader deletes nothing: " + location);
    }
}
