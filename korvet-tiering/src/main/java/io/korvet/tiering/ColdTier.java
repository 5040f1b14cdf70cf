package io.korvet.tiering;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.EntrySink;
import io.korvet.store.StreamName;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Where sealed segments live on after Redis: a port that an archive implements. Thread-safe; nothing blocks the caller,
 * and every call ends within the implementation's deadlines.
 *
 * <p>Writers ({@link #offload}, {@link #removeThrough}, {@link #removeLog}, {@link #maintain}) are called by one process
 * at a time, which {@link #lead}s; a process that was overtaken fails with {@link ColdTierException.Kind#FENCED}. Readers
 * are all processes.
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
     * Begins to write as the one leader; whoever led with a lower epoch can commit nothing from now on.
     *
     * @param epoch never given twice, and higher than that of any earlier leader
     */
    CompletionStage<Void> lead(long epoch);

    /**
     * Copies a sealed segment, unless it is there already. Its entries are read page by page: one is copied while the next
     * one comes.
     *
     * @param progress hears of it
     * @return the outcome; the stage fails (with {@link ColdTierException}) only when nothing of it can be in the tier
     */
    CompletionStage<Offload> offload(ColdSegment sealed, OffloadProgress progress);

    /** Asks for a segment, as must be done after an outcome that is {@link OffloadOutcome#UNKNOWN}. */
    CompletionStage<Offload> find(ColdSegment sealed);

    /** Forgets a log's segments up to a number (inclusive) for good; when there are none, that is no failure. */
    CompletionStage<Void> removeThrough(StreamName stream, String incarnation, long lastSegment);

    /** Forgets everything of a log that was deleted; when there is nothing, that is no failure. */
    CompletionStage<Void> removeLog(StreamName stream, String incarnation);

    /** Keeps the archive in shape: small files, old snapshots, files that belong to nothing. May take long. */
    CompletionStage<Void> maintain();

    /**
     * Reads entries of one segment in the order of their ids, as {@link io.korvet.store.EntryLog#read} does.
     *
     * @param from the first id wanted (inclusive)
     * @param count how many entries at the most, above 0; fewer are no sign of the end
     * @param sink takes the entries, on one thread at a time and before the answer; it must not block
     * @return how many entries the sink was given: 0 only if the segment has none at or after {@code from}. Fails with a
     *     {@link ColdTierException} when the tier is away, or hasn't what the segment should have
     */
    CompletionStage<Integer> read(ColdSegment segment, StreamEntryId from, int count, EntrySink sink);

    /**
     * The place in a segment from which to look for a timestamp: every entry before it has a smaller one. Entries at and
     * after it may be smaller too.
     */
    CompletionStage<StreamEntryId> seekTimestamp(ColdSegment segment, long timestamp);

    /**
     * Records are being produced or read elsewhere at this moment: reads of this tier take no more than their share of the
     * processors for a while. Called on hot paths, so cheap.
     */
    default void giveWay() {}

    /** Ends what is under way; idempotent. */
    @Override
    void close();
}
