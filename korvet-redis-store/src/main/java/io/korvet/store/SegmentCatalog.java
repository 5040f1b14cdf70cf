package io.korvet.store;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What the storage worker does to segments; each call is one atomic act and safe to repeat. Thread-safe. */
public interface SegmentCatalog {

    /** What came of a call. */
    enum Outcome {
        /** Done, now or by an earlier call. */
        DONE,
        /** Not done: the segment is in a state that doesn't allow it (for instance it is not the open one any more). */
        NOT_APPLICABLE,
        /** Not done: the log is of another incarnation, or gone. */
        FENCED
    }

    /**
     * Seals the open segment if it is this one and has entries; the next one is opened empty. Entries that other clients
     * wrote since the last append are counted in.
     */
    CompletionStage<Outcome> seal(StreamName stream, String incarnation, long segment, long nowMilliseconds);

    /** Records that a sealed segment is in the remote tier. */
    CompletionStage<Outcome> markOffloaded(StreamName stream, String incarnation, long segment, String remoteFile);

    /** Removes an offloaded segment's entries from Redis; it stays in the catalog as DROPPED. */
    CompletionStage<Outcome> dropLocal(StreamName stream, String incarnation, long segment);

    /**
     * Removes a segment from the catalog and its entries from Redis, and moves the start of the log to the first entry that
     * follows ({@code newStartOffset}) if it is lower. It must be the oldest one, or the oldest that is in Redis: those
     * before it that are DROPPED stay in the catalog until the remote tier has forgotten them.
     */
    CompletionStage<Outcome> remove(StreamName stream, String incarnation, long segment, long newStartOffset);

    /**
     * Forgets writers that a test on their state finds expired.
     *
     * @return how many were removed
     */
    CompletionStage<Integer> pruneWriters(StreamName stream, java.util.function.Predicate<String> expired);

    /** The catalog entry of one segment, {@code null} when there is none. */
    CompletionStage<@Nullable Segment> segment(StreamName stream, long segment);
}
