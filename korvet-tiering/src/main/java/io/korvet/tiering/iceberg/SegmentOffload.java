package io.korvet.tiering.iceberg;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.EntryLog;
import io.korvet.store.Segment;
import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.ColdTier.Offload;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.OffloadOutcome;
import io.korvet.tiering.OffloadProgress;
import io.korvet.tiering.OffloadProgress.Step;
import io.korvet.tiering.iceberg.SegmentFileWriter.Identity;
import io.korvet.tiering.iceberg.SegmentLocator.Located;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.io.OutputFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies one segment from Redis into the table: asks whether it is there, writes a file page by page while the next page
 * comes, compares what came with what the catalog says of the segment, and makes the file part of the table in one commit,
 * in the place of whatever the table has of that segment and isn't the same. Single use.
 *
 * <p>Before the commit a failure deletes the file, as well as that can be done. After a commit whose end nobody knows the
 * file stays, whatever the table says, since it may yet become part of it.
 */
final class SegmentOffload {

    private static final Logger LOGGER = LoggerFactory.getLogger(SegmentOffload.class);
    private static final int PAGE_BYTES = 1 << 20;
    private static final int PAGE_MOST_BYTES = 2 << 20;
    private static final int PAGE_ENTRIES = 16_384;

    /** What all offloads share. */
    record Parts(ArchiveTable archive, SegmentLocator locator, EntryLog entries, Executor threads, OffloadSeam seam) {}

    private final Parts parts;
    private final ColdSegment segment;
    private final Identity identity;
    private final OffloadProgress progress;
    private final SegmentPage[] pages = {new SegmentPage(PAGE_MOST_BYTES), new SegmentPage(PAGE_MOST_BYTES)};

    private @Nullable OutputFile file;
    private @Nullable SegmentFileWriter writer;
    private @Nullable StreamEntryId firstRead;
    private @Nullable StreamEntryId lastRead;
    private long uploadTold;
    private long uploadWorkTold;
    /** What the table has of the segment and must not have beside the new copy. */
    private List<ArchivedFile> rest = List.of();

    private @Nullable SegmentReplacement replacement;

    SegmentOffload(Parts parts, ColdSegment segment, String streamKey, OffloadProgress progress) {
        this.parts = parts;
        this.segment = segment;
        this.identity = new Identity(
                streamKey,
                segment.number(),
                segment.incarnation(),
                segment.segment().seal());
        this.progress = progress;
    }

    /** Carries it out; see {@link io.korvet.tiering.ColdTier#offload}. */
    CompletionStage<Offload> run() {
        return CompletableFuture.<Void>completedFuture(null)
                .thenComposeAsync(begun -> begin(), parts.threads())
                .handleAsync(this::settled, parts.threads())
                .thenCompose(Function.identity());
    }

    private CompletionStage<Offload> settled(@Nullable Offload offload, @Nullable Throwable failure) {
        SegmentFileWriter unfinished = writer;
        if (unfinished != null) {
            unfinished.close();
        }
        if (failure == null && offload != null) {
            if (offload.outcome() == OffloadOutcome.NOT_COMMITTED) {
                deleteFile();
            }
            return CompletableFuture.completedFuture(offload);
        }
        deleteFile();
        Throwable cause = failure == null ? new IllegalStateException("no outcome") : failure;
        return CompletableFuture.failedFuture(ArchiveFailures.of("copying " + segment + " to the archive", cause));
    }

    private CompletionStage<Offload> begin() {
        Located there = timed(Step.ASK, () -> parts.locator().find(identity.streamKey(), segment));
        progress.advanced(0, 0);
        if (there.file() != null) {
            return CompletableFuture.completedFuture(new Offload(OffloadOutcome.COMMITTED, there.file()));
        }
        rest = there.rest();
        if (there.wrong() != null) {
            LOGGER.atWarn()
                    .addKeyValue("segment", segment)
                    .addKeyValue("found", there.wrong().getMessage())
                    .addKeyValue(
                            "files", rest.stream().map(ArchivedFile::location).toList())
                    .log("what the archive has of a segment is not the segment that Redis has: it is copied again and"
                            + " replaces that");
        }
        parts.seam().at(OffloadSeam.Point.ASKED, segment);
        OutputFile created = parts.archive().newDataFile(identity.streamKey(), segment.number());
        file = created;
        try {
            writer = new SegmentFileWriter(
                    parts.archive().table(),
                    identity,
                    created,
                    parts.archive().settings().rowGroupBytes());
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
        Segment row = segment.segment();
        int count = pageEntries(row.bytes(), row.entries());
        return fetch(0, StreamEntryId.MINIMUM, count)
                .thenComposeAsync(page -> encode(page, 0), parts.threads())
                .thenComposeAsync(read -> commit(), parts.threads());
    }

    /** How many entries make about a page, when so many have so many bytes. */
    private static int pageEntries(long bytes, long entries) {
        long average = entries == 0 ? PAGE_BYTES : Math.max(1, bytes / entries);
        return (int) Math.max(1, Math.min(PAGE_ENTRIES, PAGE_BYTES / average));
    }

    private CompletionStage<SegmentPage> fetch(int slot, StreamEntryId from, int count) {
        SegmentPage page = pages[slot];
        page.clear();
        return parts.entries()
                .read(segment.stream(), segment.number(), from, count, page)
                .toCompletableFuture()
                .orTimeout(parts.archive().settings().callTimeout().toMillis(), TimeUnit.MILLISECONDS)
                .thenApply(read -> page);
    }

    /** Encodes a page while the next one comes, until one is empty. */
    private CompletionStage<@Nullable Void> encode(SegmentPage page, int slot) {
        if (page.count() == 0) {
            return CompletableFuture.completedFuture(null);
        }
        StreamEntryId last = page.id(page.count() - 1);
        firstRead = firstRead == null ? page.id(0) : firstRead;
        lastRead = last;
        int next = 1 - slot;
        long asked = System.nanoTime();
        CompletionStage<SegmentPage> coming = fetch(
                next,
                new StreamEntryId(last.milliseconds(), last.sequence() + 1),
                pageEntries(page.size(), page.count()));
        try {
            write(page);
        } catch (IOException | RuntimeException e) {
            // The page that is coming must not be written to once this has ended.
            return coming.handle((ignored, alsoFailed) -> null).thenCompose(over -> CompletableFuture.failedFuture(e));
        }
        long encoded = System.nanoTime();
        return coming.thenComposeAsync(
                fetched -> {
                    progress.spent(Step.READ, System.nanoTime() - Math.max(asked, encoded));
                    return encode(fetched, next);
                },
                parts.threads());
    }

    private void write(SegmentPage page) throws IOException {
        SegmentFileWriter into = Objects.requireNonNull(writer);
        long begin = System.nanoTime();
        long processor = ProcessorTime.nanoseconds();
        into.add(page);
        tellWritten(into, System.nanoTime() - begin, ProcessorTime.nanoseconds() - processor);
        progress.holds(Math.max(into.bufferedBytes(), into.mostBufferedBytes())
                + pages[0].memoryBytes()
                + pages[1].memoryBytes());
        progress.advanced(page.count(), page.size());
    }

    /** Splits what writing took into encoding and handing over. */
    private void tellWritten(SegmentFileWriter into, long took, long processor) {
        long upload = into.uploadNanoseconds() - uploadTold;
        uploadTold += upload;
        long uploadWork = into.uploadProcessorNanoseconds() - uploadWorkTold;
        uploadWorkTold += uploadWork;
        progress.spent(Step.ENCODE, Math.max(0, took - upload));
        progress.spent(Step.UPLOAD, upload);
        progress.worked(Step.ENCODE, Math.max(0, processor - uploadWork));
        progress.worked(Step.UPLOAD, uploadWork);
    }

    private CompletionStage<Offload> commit() {
        SegmentFileWriter into = Objects.requireNonNull(writer);
        check(into.rows());
        parts.seam().at(OffloadSeam.Point.READ, segment);
        DataFile data;
        try {
            long begin = System.nanoTime();
            long processor = ProcessorTime.nanoseconds();
            data = into.finish();
            tellWritten(into, System.nanoTime() - begin, ProcessorTime.nanoseconds() - processor);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
        parts.seam().at(OffloadSeam.Point.WRITTEN, segment);
        return CompletableFuture.completedFuture(commit(noted(change(data)), data.location()));
    }

    private SnapshotUpdate<?> change(DataFile data) {
        if (rest.isEmpty()) {
            return parts.archive().table().newAppend().appendFile(data);
        }
        SegmentReplacement replacing = new SegmentReplacement(parts.archive(), identity.streamKey(), segment);
        replacement = replacing;
        return replacing.of(data, rest);
    }

    private SnapshotUpdate<?> noted(SnapshotUpdate<?> change) {
        for (Map.Entry<String, String> note : identity.notes().entrySet()) {
            change.set(note.getKey(), note.getValue());
        }
        change.set(ArchiveSchema.EPOCH, Long.toString(parts.archive().epoch()));
        return change;
    }

    private Offload commit(SnapshotUpdate<?> change, String location) {
        // From here on the file is only deleted when it is certain that no table knows it.
        OutputFile mine = file;
        file = null;
        CommitOutcome outcome;
        try {
            outcome = timed(Step.COMMIT, () -> parts.archive().commit(change));
        } catch (ColdTierException e) {
            if (e.kind() == Kind.FENCED) {
                file = mine;
                throw e;
            }
            Offload asked = askAfter();
            if (asked.outcome() == OffloadOutcome.COMMITTED) {
                return asked;
            }
            throw e;
        }
        parts.seam().at(OffloadSeam.Point.COMMITTED, segment);
        return switch (outcome) {
            case COMMITTED -> new Offload(OffloadOutcome.COMMITTED, location);
            case NOT_COMMITTED -> {
                file = mine;
                yield new Offload(OffloadOutcome.NOT_COMMITTED, null);
            }
            case UNKNOWN -> askAfter();
        };
    }

    /** What the table says after a commit of unknown end; when it has nothing that proves nothing yet. */
    private Offload askAfter() {
        try {
            String there = parts.locator().find(identity.streamKey(), segment).file();
            return there == null
                    ? new Offload(OffloadOutcome.UNKNOWN, null)
                    : new Offload(OffloadOutcome.COMMITTED, there);
        } catch (RuntimeException e) {
            LOGGER.atWarn()
                    .setCause(e)
                    .addKeyValue("segment", segment)
                    .log("whether the archive has the segment is not known, it is asked for with the next tick");
            return new Offload(OffloadOutcome.UNKNOWN, null);
        }
    }

    /** Redis must have given exactly what the catalog says. */
    private void check(long rows) {
        Segment row = segment.segment();
        if (!segment.agreesWith(rows, firstRead, lastRead)) {
            throw new ColdTierException(
                    Kind.CORRUPT,
                    segment + " has " + rows + " entries from " + firstRead + " to " + lastRead + " in Redis, expected "
                            + row.entries() + " from " + row.first() + " to " + row.last()
                            + " as its catalog says: nothing was copied. Did another client write to or delete from a"
                            + " sealed segment?");
        }
    }

    private <T extends @Nullable Object> T timed(Step step, java.util.function.Supplier<T> act) {
        long begin = System.nanoTime();
        try {
            return act.get();
        } finally {
            progress.spent(step, System.nanoTime() - begin);
        }
    }

    private void deleteFile() {
        OutputFile mine = file;
        file = null;
        SegmentReplacement replacing = replacement;
        if (mine != null) {
            delete(mine);
            if (replacing != null && replacing.deletes() != null) {
                delete(replacing.deletes());
            }
        }
    }

    private void delete(OutputFile unneeded) {
        try {
            parts.archive().io().deleteFile(unneeded.location());
        } catch (RuntimeException e) {
            LOGGER.atInfo()
                    .setCause(e)
                    .addKeyValue("file", unneeded.location())
                    .log("a file of an offload that failed is left for the sweep of orphans");
        }
    }
}
