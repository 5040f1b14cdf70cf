package io.korvet.tiering;

import io.korvet.store.StreamName;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What the work in the cold tier remembers from one turn to the next; nothing is lost when it is. Thread-safe. */
final class ColdMemory {

    /** No segment. */
    static final long NONE = -1;

    private static final int MOST_FAILED = 10_000;
    private static final int MOST_DOUBLINGS = 5;

    private record Place(StreamName stream, long segment) {}

    private record Failed(int times, Instant next) {}

    private final Duration tick;
    private final InstantSource clock;
    private final Map<StreamName, Long> doubtful = new ConcurrentHashMap<>();
    private final Set<StreamName> swept = ConcurrentHashMap.newKeySet();
    /** Guarded by itself. */
    private final Map<Place, Failed> failed = new LinkedHashMap<>();

    /** An empty one; the tick is how often turns come. */
    ColdMemory(Duration tick, InstantSource clock) {
        this.tick = tick;
        this.clock = clock;
    }

    /** The segment of a log whose offload had no known end, {@link #NONE} for none. */
    long inDoubt(StreamName stream) {
        return doubtful.getOrDefault(stream, NONE);
    }

    void doubt(StreamName stream, long segment) {
        doubtful.put(stream, segment);
    }

    void settled(StreamName stream) {
        doubtful.remove(stream);
    }

    /** Whether the tier is known to have nothing of a log from before its oldest segment in the catalog. */
    boolean isSwept(StreamName stream) {
        return swept.contains(stream);
    }

    void swept(StreamName stream) {
        swept.add(stream);
    }

    void unswept(StreamName stream) {
        swept.remove(stream);
    }

    /** How often in a row work on a segment has failed. */
    int failures(StreamName stream, long segment) {
        synchronized (failed) {
            Failed known = failed.get(new Place(stream, segment));
            return known == null ? 0 : known.times();
        }
    }

    /** Whether it is time to work on a segment (again). */
    boolean isDue(StreamName stream, long segment) {
        synchronized (failed) {
            Failed known = failed.get(new Place(stream, segment));
            return known == null || !clock.instant().isBefore(known.next());
        }
    }

    /** Work on a segment failed for a reason of the tier's: others of its log come before it from now on. */
    void failed(StreamName stream, long segment) {
        failed(stream, segment, 0);
    }

    /**
     * Work on a segment failed for a reason of its own: it is left alone for no tick, then for 1, 3, 7, 15 and at the most
     * 31 ticks.
     */
    void broken(StreamName stream, long segment) {
        failed(stream, segment, (1 << Math.min(MOST_DOUBLINGS, failures(stream, segment))) - 1);
    }

    private void failed(StreamName stream, long segment, int ticks) {
        Place place = new Place(stream, segment);
        synchronized (failed) {
            Failed known = failed.remove(place);
            failed.put(
                    place,
                    new Failed(
                            known == null ? 1 : known.times() + 1,
                            clock.instant().plus(tick.multipliedBy(ticks))));
            if (failed.size() > MOST_FAILED) {
                failed.remove(failed.keySet().iterator().next());
            }
        }
    }

    /** Work on a segment succeeded. */
    void mended(StreamName stream, long segment) {
        synchronized (failed) {
            failed.remove(new Place(stream, segment));
        }
    }

    /** Another process may have been at work. */
    void beginAnew() {
        swept.clear();
    }
}
