package io.korvet.tiering;

/**
 * Hears how an offload moves on. Called from the tier's threads, one at a time for each offload; it must not block. An
 * offload of which nothing is heard for long is taken to hang.
 */
public interface OffloadProgress {

    /** Hears nothing. */
    OffloadProgress SILENT = new OffloadProgress() {};

    /** What an offload is about. */
    enum Step {
        /** Asking whether the segment is there already. */
        ASK,
        /** Waiting for pages of the segment; they are read while earlier ones are encoded. */
        READ,
        /** Making the file's columns of pages, compressing them included. */
        ENCODE,
        /** Handing the file's bytes to the object store. */
        UPLOAD,
        /** Making the file part of the table. */
        COMMIT
    }

    /** Entries were taken since this was last called, of so many bytes of fields; none when only time went by well. */
    default void advanced(long entries, long bytes) {}

    /** Time went to a step, since this was last called for it. */
    default void spent(Step step, long nanoseconds) {}

    /** Processor time of the tier's thread went to a step, since this was last called for it. */
    default void worked(Step step, long nanoseconds) {}

    /** So many bytes are in memory for the offload now: its pages, and columns that wait to be written. */
    default void holds(long bytes) {}
}
