package io.korvet.store.redis;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.korvet.offsets.OffsetException;
import io.korvet.offsets.StreamEntryId;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.store.StoreException;
import io.korvet.store.StoreException.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the hashes of a log hold, read into values (docs/redis-keys.md). Numbers of 64 bits are text. */
final class Rows {

    private static final ObjectMapper JSON = new ObjectMapper();

    private Rows() {}

    /** Pairs of an answer of {@code HGETALL}. */
    static Map<String, String> map(Object flat) {
        List<?> list = (List<?>) flat;
        Map<String, String> map = new HashMap<>();
        for (int i = 0; i + 1 < list.size(); i += 2) {
            map.put((String) list.get(i), (String) list.get(i + 1));
        }
        return map;
    }

    /** The state of a log from its two hashes. */
    static LogState state(Map<String, String> meta, Map<String, String> segments, String log) {
        try {
            List<Segment> sealed = new ArrayList<>();
            for (Map.Entry<String, String> row : segments.entrySet()) {
                sealed.add(segment(Long.parseLong(row.getKey()), row.getValue()));
            }
            sealed.sort(Comparator.comparingLong(Segment::number));
            Segment open = open(meta);
            long entries = open.entries();
            long bytes = open.bytes();
            for (Segment segment : sealed) {
                if (segment.state() != SegmentState.DROPPED) {
                    entries += segment.entries();
                    bytes += segment.bytes();
                }
            }
            return new LogState(
                    required(meta, "incarnation"),
                    number(meta.get("start"), 0),
                    id(meta.get("last")),
                    open,
                    sealed,
                    entries,
                    bytes,
                    number(meta.get("copied"), 0));
        } catch (OffsetException | NumberFormatException e) {
            throw new StoreException(Kind.CORRUPT, "bookkeeping of " + log + ": " + e.getMessage(), e);
        }
    }

    private static String required(Map<String, String> meta, String field) {
        String value = meta.get(field);
        if (value == null) {
            throw new StoreException(Kind.CORRUPT, "bookkeeping without '" + field + "': " + meta);
        }
        return value;
    }

    private static Segment open(Map<String, String> meta) {
        long entries = number(meta.get("entries"), 0);
        boolean empty = entries == 0;
        return new Segment(
                number(required(meta, "segment"), 0),
                SegmentState.OPEN,
                empty ? null : id(meta.get("first")),
                empty ? null : id(meta.get("last")),
                empty ? -1 : number(meta.get("min_timestamp"), -1),
                empty ? -1 : number(meta.get("max_timestamp"), -1),
                empty ? null : id(meta.get("max_timestamp_id")),
                entries,
                number(meta.get("bytes"), 0),
                number(meta.get("opened"), 0),
                null);
    }

    /** A segment from its catalog row. */
    static Segment segment(long number, String json) {
        try {
            JsonNode row = JSON.readTree(json);
            return new Segment(
                    number,
                    SegmentState.valueOf(row.path("state").asText()),
                    id(text(row, "first")),
                    id(text(row, "last")),
                    number(text(row, "firstTimestamp"), -1),
                    number(text(row, "lastTimestamp"), -1),
                    id(text(row, "lastTimestampId")),
                    number(text(row, "entries"), 0),
                    number(text(row, "bytes"), 0),
                    number(text(row, "opened"), 0),
                    text(row, "remoteFile"),
                    text(row, "seal"));
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw new StoreException(Kind.CORRUPT, "catalog row of segment " + number + ": " + json, e);
        }
    }

    static ObjectNode object() {
        return JSON.createObjectNode();
    }

    static JsonNode parse(String json, String what) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new StoreException(Kind.CORRUPT, what + ": " + json, e);
        }
    }

    static @Nullable String text(JsonNode row, String field) {
        JsonNode value = row.get(field);
        return value == null || value.isNull() ? null : value.asText();
    }

    static long number(@Nullable String text, long otherwise) {
        return text == null || text.isEmpty() ? otherwise : Long.parseLong(text);
    }

    static @Nullable StreamEntryId id(@Nullable String text) {
        return text == null || text.isEmpty() ? null : StreamEntryId.parse(text);
    }
}
