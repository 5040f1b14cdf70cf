package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.io.FileNotFoundException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.exception.SdkServiceException;

/** What a failed read says: the store is away, it refuses, a file is gone, or its bytes are not what they should be. */
final class ReadFailures {

    private static final int NOT_FOUND = 404;

    private ReadFailures() {}

    /** A file that the table names and that isn't there: the table may have moved on since it was read. */
    static final class FileGone extends RuntimeException {
        FileGone(String location, Throwable cause) {
            super(location, cause);
        }
    }

    /** A failure of the store itself while a file was read. */
    static RuntimeException ofStorage(String location, Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ColdTierException || cause instanceof FileGone) {
                return (RuntimeException) cause;
            }
            if (isMissing(cause)) {
                return new FileGone(location, failure);
            }
        }
        return ArchiveFailures.of("reading " + location, failure);
    }

    /** A failure while a file's content was made sense of. */
    static RuntimeException ofContent(String location, Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ColdTierException
                    || cause instanceof FileGone
                    || cause instanceof SdkException
                    || cause instanceof RuntimeIOException
                    || cause instanceof UncheckedIOException
                    || isMissing(cause)) {
                return ofStorage(location, cause);
            }
        }
        return new ColdTierException(
                Kind.CORRUPT, location + " can't be read as a Parquet file of this table: " + failure, failure);
    }

    /** A failure of the table's metadata. */
    static ColdTierException ofTable(String table, Throwable failure) {
        RuntimeException known = ofStorage("the metadata of table " + table, failure);
        return known instanceof ColdTierException told
                ? told
                : new ColdTierException(
                        Kind.UNAVAILABLE, "the metadata of table " + table + " is being replaced: " + failure, failure);
    }

    private static boolean isMissing(@Nullable Throwable failure) {
        return failure instanceof NotFoundException
                || failure instanceof NoSuchFileException
                || failure instanceof FileNotFoundException
                || (failure instanceof SdkServiceException service && service.statusCode() == NOT_FOUND);
    }
}
