package io.korvet.server.cli;

import io.korvet.server.config.KorvetConfig;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What {@code --dev --tiering} sets and says: new topics go to an archive on this machine, so fast that one can watch. */
final class TieringDemo {

    private static final String SEGMENT_TIME = "10s";
    private static final String LOCAL_RETENTION = "20s";

    private TieringDemo() {}

    /**
     * The settings that hold unless they are set.
     *
     * @param data where the data is kept; the archive lies below it
     * @param topicEntries how many entries {@code korvet.topics} has: the demo's comes after them
     */
    static Map<String, String> defaults(Path data, int topicEntries) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("storage.remote.path", "file://" + data.resolve("archive"));
        settings.put("storage.worker.tick-interval", "2s");
        settings.put("storage.worker.lease-duration", "10s");
        String entry = "topics[" + topicEntries + "].";
        settings.put(entry + "name", "*");
        settings.put(entry + "remote-storage-enable", "true");
        settings.put(entry + "segment-time", SEGMENT_TIME);
        settings.put(entry + "local-retention-time", LOCAL_RETENTION);
        return settings;
    }

    /** Says what happens, and how to see it. */
    static void explain(PrintWriter out, KorvetConfig config, String kafka, String cli) {
        String log = config.namespace() + ":storage:local:{numbers:0}";
        out.println("Tiering: segments of new topics are sealed after " + SEGMENT_TIME
                + ", go to the archive, and leave Redis after " + LOCAL_RETENTION);
        out.println("  Archive " + config.storage().remote().path());
        out.println("Try");
        out.println("  seq 1 1000 | kcat -b " + kafka + " -t numbers -P");
        out.println("  " + cli + " HGETALL '" + log + ":segments'      # again and again: SEALED, OFFLOADED, DROPPED");
        out.println("  kcat -b " + kafka + " -t numbers -C -e -o beginning | wc -l      # 1000, wherever they are");
        String directory = directory(config.storage().remote().path());
        if (directory != null) {
            out.println("  duckdb -c \"SELECT stream_key, segment_id, count(DISTINCT message_id) AS records,"
                    + " min(CAST(decode(fields['value']) AS INT)), max(CAST(decode(fields['value']) AS INT))"
                    + " FROM read_parquet('" + directory + "/data/**/*.parquet') WHERE stream_key = '" + log
                    + "' GROUP BY ALL ORDER BY ALL\"");
        }
        out.println("  (XRANGE shows a segment for as long as it is in Redis; the next one is ...:1)");
        out.println();
        out.flush();
    }

    private static @Nullable String directory(@Nullable String path) {
        return path != null && path.startsWith("file://") ? path.substring("file://".length()) : null;
    }
}
