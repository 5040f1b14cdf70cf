package io.korvet.tiering;

import io.korvet.store.Segment;
import io.korvet.store.StreamName;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Where sealed segments live on after Redis: a port that an archive implements. Thread-safe; nothing blocks the caller.
 *
 * <p>Segments are told apart by stream, incarnation and number, never by the place of a file, so that an archive may
 * rewrite its files.
 */
public interface ColdTier extends AutoCloseable {

    /**
     * A copy in the cold tier.
     *
     * @param outcome what is known
     * @param file where it lies, {@code null} unless it is committed
     */
    record Offload(OffloadOutcome outcome, @Nullable String file) {
        /** Checks that what is committed has a place. */
        public Offload {
            if (outcome == OffloadOutcome.COMMITTED && file == null) {
                throw new IllegalArgumentException("a committed offload without a file");
            }
        }
    }

    /**
     * Copies a sealed segment, unless it is there already. Entries are read page by page by the implementation; one page
     * is in memory at a time.
     *
     * @return the outcome; the stage fails only before anything was written
     */
    CompletionStage<Offload> offload(StreamName stream, String incarnation, Segment sealed);

    /** Asks for a segment, as must be done after an outcome that is {@link OffloadOutcome#UNKNOWN}. */
    CompletionStage<Offload> find(StreamName stream, String incarnation, long segment);

    /** Forgets a segment for good; one that isn't there is no failure. */
    CompletionStage<Void> remove(StreamName stream, String incarnation, long segment);

    /** Ends what is under way; idempotent. */
    @Override
    void close();
}
