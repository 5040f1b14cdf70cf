package io.korvet.tiering;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.store.StreamName;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is known of logs' sealed segments, of those looked at last, up to a number of segments. Thread-safe. */
final class KnownSegments {

    /**
     * A log as last seen.
     *
     * @param incarnation whose log it is
     * @param sealed its sealed segments, oldest first
     * @param open the number of the one that takes appends
     * @param last the last id, {@code null} for a log without any entry so far
     */
    record Known(
            String incarnation,
            List<Segment> sealed,
            long open,
            @Nullable StreamEntryId last) {

        static Known of(LogState state) {
            return new Known(state.incarnation(), state.sealed(), state.open().number(), state.last());
        }

        private int weight() {
            return 1 + sealed.size();
        }

        /** A segment that is only in the cold tier, {@code null} for any other. */
        @Nullable
        Segment dropped(long number) {
            Segment found = find(number);
            return found != null && found.state() == SegmentState.DROPPED ? found : null;
        }

        /** Whether nothing at or after an id was in a segment when the log was looked at. */
        boolean endsBefore(long number, StreamEntryId from) {
            if (number == open) {
                return last == null || last.compareTo(from) < 0;
            }
            Segment found = find(number);
            return found != null && (found.last() == null || found.last().compareTo(from) < 0);
        }

        private @Nullable Segment find(long number) {
            int low = 0;
            int high = sealed.size();
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (sealed.get(middle).number() < number) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low < sealed.size() && sealed.get(low).number() == number ? sealed.get(low) : null;
        }
    }

    private final int most;
    private final LinkedHashMap<StreamName, Known> logs = new LinkedHashMap<>(16, 0.75f, true);
    private int segments;

    KnownSegments(int most) {
        this.most = most;
    }

    /** What is known of a log. */
    synchronized @Nullable Known of(StreamName stream) {
        return logs.get(stream);
    }

    /** Takes a newer state in; logs not looked at for long are forgotten for it. */
    synchronized void learn(StreamName stream, LogState state) {
        forget(stream);
        Known log = Known.of(state);
        logs.put(stream, log);
        segments += log.weight();
        Iterator<Map.Entry<StreamName, Known>> oldest = logs.entrySet().iterator();
        while (segments > most && logs.size() > 1) {
            segments -= oldest.next().getValue().weight();
            oldest.remove();
        }
    }

    /** Forgets a log. */
    synchronized void forget(StreamName stream) {
        Known gone = logs.remove(stream);
        if (gone != null) {
            segments -= gone.weight();
        }
    }
}
