package io.korvet.tiering.iceberg;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.EntrySink;
import io.korvet.store.StreamName;
import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.iceberg.SegmentSlices.Loaded;
import io.korvet.tiering.iceberg.SegmentSlices.PlanOutdated;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.apache.iceberg.Table;

/**
 * Reads segments back from the table. Rows are found by stream, segment and id, wherever the table has them; decoded
 * slices are shared by all readers, and the next one is loaded while a reader takes the one at hand.
 *
 * <p>Thread-safe, never blocks its caller; sinks are called by threads of its own. Every read ends within a deadline, and
 * one that waits for the object store holds up none that has what it needs in memory.
 */
final class ColdReads implements AutoCloseable {

    private final Function<StreamName, String> streamKeys;
    private final Duration deadline;
    private final ReadShare share;
    private final ReadPools pools;
    private final SegmentSlices slices;
    private final Set<PendingRead<?>> pending = ConcurrentHashMap.newKeySet();

    /**
     * Bounds.
     *
     * @param cacheBytes of decoded slices in memory
     * @param threads how many slices are decoded at a time
     * @param percent of the processors that reads may take beside hot traffic
     * @param deadline how long a read may take in all
     */
    record Options(long cacheBytes, int threads, int percent, Duration deadline) {
        /** The bounds that an archive's settings ask for. */
        static Options of(ArchiveSettings settings) {
            return new Options(
                    settings.readCacheBytes(), settings.readThreads(), settings.readPercent(), settings.callTimeout());
        }
    }

    /** Reads of a table; streams are named in it as a function says. */
    ColdReads(Table table, Function<StreamName, String> streamKeys, Options options) {
        this.streamKeys = streamKeys;
        this.deadline = options.deadline();
        this.share = new ReadShare(options.percent(), Runtime.getRuntime().availableProcessors(), System::nanoTime);
        this.pools = new ReadPools(LoadTurns.threadsFor(options.threads()), Math.max(1, options.threads()));
        this.slices = new SegmentSlices(table, pools, share, options);
    }

    /** As {@link io.korvet.tiering.ColdTier#read}; the entries come from one slice. */
    CompletionStage<Integer> read(ColdSegment segment, StreamEntryId from, int count, EntrySink sink) {
        PendingRead<Integer> read = begin("reading " + segment);
        new SegmentRead<>(segment, streamKeys.apply(segment.stream()), read, plan -> plan.indexOf(from), loaded -> {
                    int first = loaded.block().indexOf(from);
                    if (first == loaded.block().count()) {
                        return false;
                    }
                    if (read.claim()) {
                        int given = loaded.block().deliver(first, count, sink);
                        read.finish(given);
                        if (first + given > loaded.block().count() / 2) {
                            slices.ahead(
                                    segment, streamKeys.apply(segment.stream()), loaded.plan(), loaded.index() + 1);
                        }
                    }
                    return true;
                })
                .begin(() -> read.complete(0));
        return read.answer();
    }

    /** As {@link io.korvet.tiering.ColdTier#seekTimestamp}. */
    CompletionStage<StreamEntryId> seekTimestamp(ColdSegment segment, long timestamp) {
        PendingRead<StreamEntryId> read = begin("looking for a timestamp in " + segment);
        new SegmentRead<>(
                        segment,
                        streamKeys.apply(segment.stream()),
                        read,
                        plan -> plan.indexOfTimestamp(timestamp),
                        loaded -> {
                            read.complete(loaded.block().id(0));
                            return true;
                        })
                .begin(() -> {
                    StreamEntryId last = segment.segment().last();
                    read.complete(
                            last == null
                                    ? StreamEntryId.MINIMUM
                                    : new StreamEntryId(last.milliseconds(), last.sequence() + 1));
                });
        return read.answer();
    }

    /** The way of a read from the plan to a slice that answers it; begun once more when the plan was outdated. */
    private final class SegmentRead<T> {
        private final ColdSegment segment;
        private final String streamKey;
        private final PendingRead<T> read;
        private final ToIntFunction<SegmentPlan> firstSlice;
        private final Predicate<Loaded> taken;
        private boolean again;

        SegmentRead(
                ColdSegment segment,
                String streamKey,
                PendingRead<T> read,
                ToIntFunction<SegmentPlan> firstSlice,
                Predicate<Loaded> taken) {
            this.segment = segment;
            this.streamKey = streamKey;
            this.read = read;
            this.firstSlice = firstSlice;
            this.taken = taken;
        }

        /** Begins; without any slice that answers, the given end is carried out. */
        void begin(Runnable beyondEnd) {
            var unused = slices.plan(segment, streamKey)
                    .whenComplete(read.orFail(plan -> slice(plan, firstSlice.applyAsInt(plan), beyondEnd)));
        }

        private void slice(SegmentPlan plan, int index, Runnable beyondEnd) {
            if (index == plan.slices().size()) {
                beyondEnd.run();
                return;
            }
            slices.slice(segment, streamKey, plan, index, (loaded, failure) -> {
                if (failure instanceof PlanOutdated outdated) {
                    if (again) {
                        read.fail(outdated.reason());
                    } else {
                        again = true;
                        begin(beyondEnd);
                    }
                } else if (loaded == null) {
                    read.fail(failure == null ? new IllegalStateException("neither slice nor failure") : failure);
                } else {
                    loaded.block().retain();
                    if (!pools.deliver(read.answer(), () -> take(loaded, beyondEnd))) {
                        loaded.block().release();
                    }
                }
            });
        }

        private void take(Loaded loaded, Runnable beyondEnd) {
            boolean answered;
            try {
                long began = ProcessorTime.nanoseconds();
                answered = taken.test(loaded);
                share.used(ProcessorTime.nanoseconds() - began);
            } finally {
                loaded.block().release();
            }
            if (!answered) {
                slice(loaded.plan(), loaded.index() + 1, beyondEnd);
            }
        }
    }

    private <T> PendingRead<T> begin(String what) {
        PendingRead<T> read = new PendingRead<>();
        pending.add(read);
        var unused = read.answer().whenComplete((result, failure) -> pending.remove(read));
        read.expireWith(pools.later(
                deadline.toMillis(),
                () -> read.fail(new ColdTierException(
                        Kind.UNAVAILABLE, what + ": the object store didn't answer within " + deadline))));
        return read;
    }

    /** Hot traffic is being served: reads keep to their share of the processors for a second. */
    void giveWay() {
        share.giveWay();
    }

    /** How many bytes of decoded slices are in memory. */
    long cachedBytes() {
        return slices.cachedBytes();
    }

    /** Ends all threads; reads under way fail. */
    @Override
    public void close() {
        pools.close();
        pending.forEach(read -> read.fail(new ColdTierException(Kind.UNAVAILABLE, "the archive is closed")));
    }
}
