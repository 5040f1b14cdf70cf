package io.korvet.store;

import io.korvet.offsets.StreamEntryId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Logs of entries, each a list of Redis streams (segments) of which the newest takes appends.
 *
 * <p>A log belongs to an <em>incarnation</em> (a random id given when it is made): a caller that still speaks of an
 * earlier one is fenced. Thread-safe; appends to one log are carried out in the order of the calls.
 */
public interface EntryLog {

    /**
     * Makes an empty log of an incarnation. Keys that an earlier incarnation left are removed in the same act; when the
     * log of this incarnation is there already, nothing changes.
     */
    CompletionStage<Void> create(StreamName stream, String incarnation);

    /** Removes all keys of a log unless it is of another incarnation by now. */
    CompletionStage<Void> delete(StreamName stream, String incarnation);

    /**
     * An encoder for one batch of this log's entries.
     *
     * @param expectedEntries about how many entries
     * @param expectedBytes about how many bytes of fields
     */
    EntryEncoder encoder(int expectedEntries, int expectedBytes);

    /**
     * Appends all entries of a batch in one atomic act, or none (ADR 0002). Takes ownership of the batch's buffer.
     */
    CompletionStage<AppendResult> append(AppendBatch batch);

    /**
     * The same, answered when replicas of the store have the entries too, or the time for that is over. A store that has no
     * replicas need not implement it.
     *
     * @param replicas how many replicas, 0 for none. Appends that ask for copies and such that don't are in order among
     *     themselves only
     */
    default CompletionStage<AppendResult> append(AppendBatch batch, int replicas) {
        return append(batch).thenApply(result -> {
            boolean tooFew = replicas > 0 && result.kind() == AppendResult.Kind.APPENDED;
            return tooFew ? new AppendResult.Uncopied((AppendResult.Appended) result, 0) : result;
        });
    }

    /** What the log looks like now, or {@code null} when there is none. */
    CompletionStage<@Nullable LogState> state(StreamName stream);

    /** The stored state of one writer, or {@code null} when the log knows no such writer. */
    CompletionStage<@Nullable String> writerState(StreamName stream, String writer);

    /**
     * The stored state of one writer once a number of replicas have all that is stored up to it, or the time for that is
     * over. A store that has no replicas need not implement it.
     *
     * @param replicas how many replicas, above 0
     */
    default CompletionStage<CopiedState> copiedWriterState(StreamName stream, String writer, int replicas) {
        return writerState(stream, writer).thenApply(state -> new CopiedState(state, 0));
    }

    /**
     * A writer's state and who has it.
     *
     * @param state {@code null} when the log knows no such writer
     * @param copies how many replicas have it, 0 for an unknown writer
     */
    record CopiedState(@Nullable String state, long copies) {}

    /**
     * Notes up to where a log is known to be copied, and asks how many replicas have all of it, or had when the time for
     * that was over. A store that has no replicas need not implement it.
     *
     * @param copiedEnd an end that is known to be copied, 0 for none
     * @param openSegment the number of the open segment as far as is known
     * @param replicas how many replicas, above 0
     * @return {@code null} when the log is not of this incarnation
     */
    default CompletionStage<@Nullable Confirmation> confirmCopies(
            StreamName stream, String incarnation, long copiedEnd, long openSegment, int replicas) {
        return CompletableFuture.completedStage(new Confirmation(copiedEnd, null, 0));
    }

    /**
     * How far a log is copied.
     *
     * @param copiedEnd the largest end that was ever noted to be copied
     * @param last the last id of the log then, other clients' entries included; {@code null} for an empty one
     * @param copies how many replicas have the log up to {@code last}
     */
    record Confirmation(long copiedEnd, @Nullable StreamEntryId last, long copies) {}

    /**
     * Reads entries of one segment in order.
     *
     * @param segment the segment's number; one that is not there reads as empty
     * @param from the first id wanted (inclusive)
     * @param count how many entries at the most, above 0
     * @param sink takes the entries, on one thread at a time and before the answer; it must not block
     * @return how many entries the sink was given; fewer than asked for are no sign of the segment's end, only none at all
     *     are
     */
    CompletionStage<Integer> read(StreamName stream, long segment, StreamEntryId from, int count, EntrySink sink);

    /**
     * The place in a segment from which to look for a timestamp: every entry of the segment before it has a smaller one.
     * (From a sparse index, so entries at and after it may be smaller too.)
     */
    CompletionStage<StreamEntryId> seekTimestamp(StreamName stream, long segment, long timestamp);

    /**
     * Moves the start of the log up; a start at or below the present one changes nothing. Entries below it are gone for
     * readers at once and leave Redis with their segment.
     *
     * @return the start that holds now, or {@code null} when the log is not of this incarnation
     */
    CompletionStage<@Nullable Long> truncateBefore(StreamName stream, String incarnation, long startOffset);
}
