package io.korvet.server.topics;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.tiering.Retention;
import io.korvet.tiering.TierPolicy;
import io.korvet.tiering.TierPolicy.Tiering;

/**
 * A topic's settings with their types, defaults filled in (design: Kafka surface, "Topic configs").
 *
 * @param encoding from {@code offset.encoding} and {@code offset.sequence.bits}
 * @param retentionMilliseconds {@code retention.ms}, -1 for ever
 * @param retentionBytes {@code retention.bytes}, -1 for no limit
 * @param localRetentionMilliseconds {@code local.retention.ms}, -2 resolved to {@code retention.ms}
 * @param localRetentionBytes {@code local.retention.bytes}, -2 resolved to {@code retention.bytes}
 * @param remoteStorage {@code remote.storage.enable}
 * @param segmentMilliseconds {@code segment.ms}
 * @param segmentBytes {@code segment.bytes}
 * @param maxMessageBytes {@code max.message.bytes}
 * @param logAppendTime {@code message.timestamp.type=LogAppendTime}
 * @param timestampBeforeMaxMilliseconds {@code message.timestamp.before.max.ms}
 * @param timestampAfterMaxMilliseconds {@code message.timestamp.after.max.ms}
 * @param compression {@code compression.type}: {@code producer}, {@code uncompressed}, {@code gzip}, {@code snappy},
 *     {@code lz4} or {@code zstd}
 * @param minInsyncReplicas {@code min.insync.replicas}
 * @param compacted whether {@code cleanup.policy} has {@code compact}
 * @param deleted whether {@code cleanup.policy} has {@code delete}
 */
public record TopicSettings(
        OffsetEncoding encoding,
        long retentionMilliseconds,
        long retentionBytes,
        long localRetentionMilliseconds,
        long localRetentionBytes,
        boolean remoteStorage,
        long segmentMilliseconds,
        long segmentBytes,
        int maxMessageBytes,
        boolean logAppendTime,
        long timestampBeforeMaxMilliseconds,
        long timestampAfterMaxMilliseconds,
        String compression,
        int minInsyncReplicas,
        boolean compacted,
        boolean deleted) {

    /** What is to become of the topic's segments. What is compacted stays, and stays in Redis. */
    public TierPolicy tierPolicy() {
        if (!deleted) {
            return TierPolicy.localOnly(segmentMilliseconds, Retention.FOREVER);
        }
        return new TierPolicy(
                segmentMilliseconds,
                new Retention(localRetentionMilliseconds, localRetentionBytes),
                new Retention(retentionMilliseconds, retentionBytes),
                remoteStorage && !compacted ? Tiering.ENABLED : Tiering.DISABLED);
    }
}
