package io.korvet.tiering;

import io.korvet.store.Segment;
import io.korvet.store.StreamName;
import io.korvet.tiering.WorkerObserver.Archived;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One line of the log for each thing that happened to segments in the cold tier. */
final class ColdLog {

    private static final Logger LOGGER = LoggerFactory.getLogger(StorageWorker.class);

    private ColdLog() {}

    /** A segment is confirmed to be in the archive: it was copied, or found there. */
    static void archived(StreamName stream, Archived archived, Duration took) {
        LOGGER.atInfo()
                .addKeyValue("stream", stream.value())
                .addKeyValue("segment", archived.segment())
                .addKeyValue("records", archived.entries())
                .addKeyValue("bytes", archived.bytes())
                .addKeyValue("recordsCopied", archived.copied())
                .addKeyValue("milliseconds", took.toMillis())
                .log("a segment is in the archive");
    }

    /** A segment that is in the archive was taken out of Redis. */
    static void dropped(StreamName stream, Segment segment) {
        LOGGER.atInfo()
                .addKeyValue("stream", stream.value())
                .addKeyValue("segment", segment.number())
                .addKeyValue("records", segment.entries())
                .addKeyValue("bytes", segment.bytes())
                .log("a segment of the archive left Redis");
    }

    /** Segments, one at least, were taken out of the archive and the catalog. */
    static void removed(StreamName stream, List<TierAction.Remove> segments) {
        TierAction.Remove newest = segments.get(segments.size() - 1);
        LOGGER.atInfo()
                .addKeyValue("stream", stream.value())
                .addKeyValue("firstSegment", segments.get(0).segment())
                .addKeyValue("lastSegment", newest.segment())
                .addKeyValue("reason", newest.reason())
                .log("segments left the archive");
    }
}
