package io.korvet.tiering.iceberg;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The few small objects that make up the state of a path-based table, and the one act it stands on: creating an object
 * unless there is one. Blocking, bounded in time, thread-safe; failures are what the store throws, see {@link
 * ArchiveFailures}.
 */
interface ObjectStore extends AutoCloseable {

    /** What became of {@link #create}. */
    enum Creation {
        /** The object is there with the content given, by this call. */
        CREATED,
        /** There is, or has just been, another. */
        TAKEN
    }

    /**
     * Creates an object with its whole content, durably, unless there is one at this location. An answer that got lost
     * is settled by reading back.
     *
     * @throws org.apache.iceberg.exceptions.CommitStateUnknownException when it may still come to be
     */
    Creation create(String location, byte[] content);

    /** Creates or replaces a small object as a whole. */
    void replace(String location, byte[] content);

    /** The content of a small object, {@code null} if there is none. */
    byte @Nullable [] read(String location);

    /** Whether there is such an object. */
    boolean exists(String location);

    /** The names of the objects directly below a location that ends with a slash. */
    List<String> names(String directory);

    /** Whether there is any object below a location that ends with a slash, however deep. */
    boolean hasAny(String directory);

    /** Deletes an object if it is there. */
    void delete(String location);

    @Override
    void close();
}
