package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.iceberg.ReadFailures.FileGone;
import io.korvet.tiering.iceberg.SegmentPlanner.Trust;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/**
 * Plans and decoded slices in memory, up to a bound; what isn't there is loaded once, however many wait for it.
 *
 * <p>Thread-safe; nothing blocks.
 */
final class SegmentSlices {

    private static final long PLAN_BYTES = 16 << 20;
    private static final long FOOTER_BYTES = 32 << 20;
    private static final long REMEMBERED_VERDICTS = 1_000;
    /** More arrays than are used at a time; the cache has its own. */
    private static final int FREE_ARRAYS = 32;
    /** How long the table is not asked again about a segment that was found to be wrong. */
    private static final long VERDICT_NANOS = Duration.ofSeconds(5).toNanos();

    /** A decoded slice; its block is lent during a call. */
    record Loaded(Block block, SegmentPlan plan, int index) {}

    private record Key(
            String streamKey,
            String incarnation,
            long number,
            @Nullable String seal) {
        static Key of(String streamKey, ColdSegment segment) {
            return new Key(
                    streamKey,
                    segment.incarnation(),
                    segment.number(),
                    segment.segment().seal());
        }
    }

    private record Place(SegmentPlan plan, int index) {}

    private record Verdict(ColdTierException failure, long until) {}

    private final ReadPools pools;
    private final SegmentIndex index;
    private final SegmentPlanner planner;
    private final WeightedCache<Key, SegmentPlan> plans = new WeightedCache<>(PLAN_BYTES);
    private final WeightedCache<Key, Verdict> verdicts = new WeightedCache<>(REMEMBERED_VERDICTS);
    private final WeightedCache<Key, Trust> distrusted = new WeightedCache<>(REMEMBERED_VERDICTS);
    private final WeightedCache<Place, Block> blocks;
    private final Map<Key, CompletableFuture<SegmentPlan>> planning = new ConcurrentHashMap<>();
    private final Map<Place, CompletableFuture<Loaded>> loading = new ConcurrentHashMap<>();
    private final AtomicInteger ahead = new AtomicInteger();
    private final int mostAhead;

    SegmentSlices(Table table, ReadPools pools, ReadShare share, ColdReads.Options options) {
        LoadTurns turns = new LoadTurns(options.threads(), share);
        this.pools = pools;
        this.index = new SegmentIndex(table, options.deadline());
        this.planner = new SegmentPlanner(
                table, index, new StoredFiles(table, FOOTER_BYTES), turns, new BlockSpace(FREE_ARRAYS));
        this.blocks = new WeightedCache<>(options.cacheBytes(), Block::release);
        this.mostAhead = (int) Math.max(1, Math.min(64, options.cacheBytes() / 4 / BlockSpace.BYTES));
    }

    /** Where a segment's rows are. */
    CompletableFuture<SegmentPlan> plan(ColdSegment segment, String streamKey) {
        Key key = Key.of(streamKey, segment);
        SegmentPlan known = plans.get(key);
        return known != null
                ? CompletableFuture.completedFuture(known)
                : shared(planning, key, () -> makePlan(key, segment), made -> {});
    }

    private SegmentPlan makePlan(Key key, ColdSegment segment) {
        Verdict verdict = verdicts.get(key);
        if (verdict != null && System.nanoTime() - verdict.until() < 0) {
            throw verdict.failure();
        }
        long began = System.nanoTime();
        Trust trust = distrusted.get(key) == null ? Trust.WRITER : Trust.ROWS;
        SegmentPlan plan;
        try {
            if (!index.isLoaded()) {
                index.refresh(began);
            }
            plan = planOrRefresh(key, segment, trust, began);
        } catch (FileGone e) {
            throw convict(key, missing(segment, e));
        } catch (ColdTierException e) {
            throw e.kind() == Kind.CORRUPT ? convict(key, e) : e;
        }
        plans.put(key, plan, plan.sizeInBytes());
        return plan;
    }

    private SegmentPlan planOrRefresh(Key key, ColdSegment segment, Trust trust, long began) {
        try {
            return planner.plan(segment, key.streamKey(), trust);
        } catch (FileGone e) {
            index.refresh(began);
        } catch (ColdTierException e) {
            if (e.kind() != Kind.CORRUPT || index.isNewerThan(began)) {
                throw e;
            }
            index.refresh(began);
        }
        return planner.plan(segment, key.streamKey(), trust);
    }

    private ColdTierException convict(Key key, ColdTierException failure) {
        verdicts.put(key, new Verdict(failure, System.nanoTime() + VERDICT_NANOS), 1);
        return failure;
    }

    private static ColdTierException missing(ColdSegment segment, FileGone gone) {
        return new ColdTierException(
                Kind.CORRUPT,
                segment + ": data file " + gone.getMessage() + " is missing, which the table names",
                gone);
    }

    /**
     * One slice of a plan, lent to a taker during its call: who needs its block longer retains it. Fails as outdated when
     * the plan is of no use any more, which is forgotten then.
     */
    void slice(
            ColdSegment segment,
            String streamKey,
            SegmentPlan plan,
            int position,
            BiConsumer<@Nullable Loaded, @Nullable Throwable> taker) {
        Place place = new Place(plan, position);
        Loaded known = known(place);
        if (known != null) {
            lend(known, taker);
            return;
        }
        var unused = shared(
                        loading,
                        place,
                        () -> load(segment, streamKey, place),
                        loaded -> loaded.block().release())
                .whenComplete((loaded, failure) -> {
                    if (loaded == null) {
                        taker.accept(null, failure);
                    } else if (loaded.block().retain()) {
                        lend(loaded, taker);
                    } else {
                        // Loaded for others, who have done with it, between the look and the wait.
                        slice(segment, streamKey, plan, position, taker);
                    }
                });
    }

    private static void lend(Loaded loaded, BiConsumer<@Nullable Loaded, @Nullable Throwable> taker) {
        try {
            taker.accept(loaded, null);
        } finally {
            loaded.block().release();
        }
    }

    /** A slice that is in memory, retained. */
    private @Nullable Loaded known(Place place) {
        Block known = blocks.get(place);
        return known != null && known.retain() ? new Loaded(known, place.plan(), place.index()) : null;
    }

    private Loaded load(ColdSegment segment, String streamKey, Place place) {
        Loaded known = known(place);
        if (known != null) {
            return known;
        }
        Key key = Key.of(streamKey, segment);
        long began = System.nanoTime();
        SegmentPlan plan = place.plan();
        Slice slice = plan.slices().get(place.index());
        Block block;
        try {
            block = planner.load(segment, slice, plan.isVouched());
        } catch (FileGone e) {
            if (plans.get(key) == plan) {
                plans.remove(key);
            }
            index.refresh(began);
            throw new PlanOutdated(missing(segment, e));
        }
        String wrong = SliceCheck.wrong(segment, plan, place.index(), block);
        if (wrong != null) {
            block.release();
            ColdTierException failure = new ColdTierException(
                    Kind.CORRUPT, segment + " in " + SegmentPlanner.filesOf(slice) + ": " + wrong);
            if (plan.isVouched()) {
                distrusted.put(key, Trust.ROWS, 1);
                plans.remove(key);
                throw new PlanOutdated(failure);
            }
            throw failure;
        }
        block.retain();
        blocks.put(place, block, block.sizeInBytes());
        return new Loaded(block, plan, place.index());
    }

    /** A plan that must be made anew; what is wrong if it is no better then. */
    static final class PlanOutdated extends RuntimeException {
        private final ColdTierException reason;

        PlanOutdated(ColdTierException reason) {
            super(reason.getMessage(), reason);
            this.reason = reason;
        }

        ColdTierException reason() {
            return reason;
        }
    }

    /** Loads a slice that will probably be wanted next, if there is room to do so. */
    void ahead(ColdSegment segment, String streamKey, SegmentPlan plan, int position) {
        if (position >= plan.slices().size()
                || !pools.hasRoomAhead()
                || blocks.get(new Place(plan, position)) != null) {
            return;
        }
        if (ahead.incrementAndGet() > mostAhead) {
            ahead.decrementAndGet();
            return;
        }
        slice(segment, streamKey, plan, position, (loaded, failure) -> ahead.decrementAndGet());
    }

    /** Loads something once for all who wait for it; when they all have it, it is over for the one who loaded it. */
    private <K, T> CompletableFuture<T> shared(
            Map<K, CompletableFuture<T>> underWay, K key, Supplier<T> load, Consumer<T> over) {
        CompletableFuture<T> mine = new CompletableFuture<>();
        @Nullable CompletableFuture<T> other = underWay.putIfAbsent(key, mine);
        if (other != null) {
            return other;
        }
        var unused = pools.load(load).whenComplete((loaded, failure) -> {
            underWay.remove(key, mine);
            if (failure == null) {
                mine.complete(loaded);
                over.accept(loaded);
            } else {
                mine.completeExceptionally(failure);
            }
        });
        return mine;
    }

    /** How many bytes of decoded slices are in memory. */
    long cachedBytes() {
        return blocks.weight();
    }
}
