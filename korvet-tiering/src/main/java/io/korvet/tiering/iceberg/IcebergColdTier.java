package io.korvet.tiering.iceberg;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.EntryLog;
import io.korvet.store.EntrySink;
import io.korvet.store.StreamName;
import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.ColdTier;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.OffloadOutcome;
import io.korvet.tiering.OffloadProgress;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The cold tier as one Apache Iceberg table (seed: remote storage). Calls never block: writing and reading have threads of
 * their own, and each call ends within the deadlines of the settings' call timeout, however the object store behaves.
 *
 * <p>Thread-safe. At most {@value #MOST_OFFLOADS} segments are copied at a time; each takes at most 64 MiB.
 */
public final class IcebergColdTier implements ColdTier {

    static final int MOST_OFFLOADS = 8;

    private final ArchiveTable archive;
    private final Function<StreamName, String> streamKeys;
    private final ColdReads reads;
    private final WritePools pools = new WritePools();
    private final SegmentLocator locator;
    private final SegmentRemoval removal;
    private final ArchiveMaintenance maintenance;
    private final SegmentOffload.Parts parts;
    private final Semaphore places = new Semaphore(MOST_OFFLOADS);
    private final AtomicBoolean closed = new AtomicBoolean();

    private IcebergColdTier(
            ArchiveTable archive, Function<StreamName, String> streamKeys, EntryLog entries, OffloadSeam seam) {
        this.archive = archive;
        this.streamKeys = streamKeys;
        reads = new ColdReads(archive.table(), streamKeys, ColdReads.Options.of(archive.settings()));
        locator = new SegmentLocator(archive);
        removal = new SegmentRemoval(archive);
        maintenance = new ArchiveMaintenance(archive, InstantSource.system());
        parts = new SegmentOffload.Parts(archive, locator, entries, pools.copies(), seam);
    }

    /**
     * Opens the archive, and creates its table if it isn't there. Blocks until the object store or catalog has answered,
     * within its deadlines.
     *
     * @param streamKeys what a log is called in the table: what its keys in Redis share (the key schema's {@code log})
     * @param entries where segments are copied from, Redis alone
     * @throws ColdTierException REFUSED when somebody must change settings, rights or the table; UNAVAILABLE when it may
     *     be tried again
     */
    public static IcebergColdTier open(
            ArchiveSettings settings, Function<StreamName, String> streamKeys, EntryLog entries) {
        return open(settings, streamKeys, entries, OffloadSeam.NONE);
    }

    static IcebergColdTier open(
            ArchiveSettings settings, Function<StreamName, String> streamKeys, EntryLog entries, OffloadSeam seam) {
        return new IcebergColdTier(ArchiveTable.open(settings), streamKeys, entries, seam);
    }

    @Override
    public CompletionStage<Void> lead(long epoch) {
        return done(pools.step("leading the archive", () -> {
            archive.lead(epoch);
            return epoch;
        }));
    }

    @Override
    public CompletionStage<Offload> offload(ColdSegment sealed, OffloadProgress progress) {
        if (closed.get()) {
            return CompletableFuture.failedFuture(
                    new ColdTierException(Kind.UNAVAILABLE, "copying " + sealed + ": the archive is closed"));
        }
        if (!places.tryAcquire()) {
            return CompletableFuture.failedFuture(new ColdTierException(
                    Kind.BUSY, "copying " + sealed + ": " + MOST_OFFLOADS + " segments are being copied already"));
        }
        return new SegmentOffload(parts, sealed, streamKeys.apply(sealed.stream()), progress)
                .run()
                .whenComplete((offload, failure) -> places.release());
    }

    @Override
    public CompletionStage<Offload> find(ColdSegment sealed) {
        return pools.step("looking for " + sealed, () -> {
            String file =
                    locator.find(streamKeys.apply(sealed.stream()), sealed).file();
            return new Offload(file == null ? OffloadOutcome.NOT_COMMITTED : OffloadOutcome.COMMITTED, file);
        });
    }

    @Override
    public CompletionStage<Void> removeThrough(StreamName stream, String incarnation, long lastSegment) {
        return done(pools.step("removing segments of " + stream + " up to " + lastSegment, () -> {
            removal.removeThrough(streamKeys.apply(stream), incarnation, lastSegment);
            return lastSegment;
        }));
    }

    @Override
    public CompletionStage<Void> removeLog(StreamName stream, String incarnation) {
        return done(pools.step("removing all of " + stream, () -> {
            removal.removeLog(streamKeys.apply(stream), incarnation);
            return incarnation;
        }));
    }

    @Override
    public CompletionStage<Void> maintain() {
        return done(pools.maintain("keeping the archive in shape", () -> {
            maintenance.run();
            return archive;
        }));
    }

    private static CompletionStage<Void> done(CompletionStage<? extends @Nullable Object> stage) {
        return stage.thenAccept(ignored -> {});
    }

    @Override
    public CompletionStage<Integer> read(ColdSegment segment, StreamEntryId from, int count, EntrySink sink) {
        return reads.read(segment, from, count, sink);
    }

    @Override
    public CompletionStage<StreamEntryId> seekTimestamp(ColdSegment segment, long timestamp) {
        return reads.seekTimestamp(segment, timestamp);
    }

    @Override
    public void giveWay() {
        reads.giveWay();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            reads.close();
            pools.close();
            archive.close();
        }
    }
}
