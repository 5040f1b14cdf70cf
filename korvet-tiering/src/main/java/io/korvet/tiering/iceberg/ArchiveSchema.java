package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/** The table {@code segments}: its columns, partition, order, and the names of what Korvet writes beside them. */
public final class ArchiveSchema {

    /** The table's name. */
    public static final String TABLE = "segments";

    /** Partition column: the key of the log in Redis without the segment's number. */
    public static final String STREAM_KEY = "stream_key";
    /** The segment's number. */
    public static final String SEGMENT_ID = "segment_id";
    /** The entry's id, {@code 1708956789000-0}. */
    public static final String MESSAGE_ID = "message_id";
    /** The record's timestamp in milliseconds. */
    public static final String TS = "ts";
    /** The entry's fields by name; an absent field has no row in the map. */
    public static final String FIELDS = "fields";

    /** The columns with the ids that a new table gets. */
    public static final Schema SCHEMA = new Schema(
            NestedField.required(1, STREAM_KEY, Types.StringType.get()),
            NestedField.required(2, SEGMENT_ID, Types.LongType.get()),
            NestedField.required(3, MESSAGE_ID, Types.StringType.get()),
            NestedField.required(4, TS, Types.LongType.get()),
            NestedField.required(
                    5, FIELDS, Types.MapType.ofRequired(6, 7, Types.StringType.get(), Types.BinaryType.get())));

    /** One partition for each log. */
    public static final PartitionSpec SPEC =
            PartitionSpec.builderFor(SCHEMA).identity(STREAM_KEY).build();

    /** By timestamp. */
    public static final SortOrder ORDER = SortOrder.builderFor(SCHEMA).asc(TS).build();

    /** Table property and entry of snapshot summaries: the epoch of the leader that wrote last. */
    public static final String EPOCH = "korvet.epoch";
    /** Entry of snapshot summaries and of data files' footers: whose segment. */
    public static final String SUMMARY_STREAM_KEY = "korvet.stream-key";
    /** Entry of snapshot summaries and of data files' footers: which segment. */
    public static final String SUMMARY_SEGMENT_ID = "korvet.segment-id";
    /** Entry of snapshot summaries and of data files' footers: of which incarnation of the log. */
    public static final String SUMMARY_INCARNATION = "korvet.incarnation";
    /** Entry of snapshot summaries and of data files' footers: the seal of the segment, see {@link io.korvet.store.Segment}. */
    public static final String SUMMARY_SEAL = "korvet.seal";
    /**
     * Entry of the footer of a file that holds several segments: {@code number:incarnation:seal}, by commas; {@code
     * number:incarnation} for a segment without a seal.
     */
    public static final String FOOTER_SEGMENTS = "korvet.segments";

    /** Table property: {@code false} keeps files that belong to nothing from being deleted. */
    public static final String SWEEP = "korvet.sweep-orphans";

    private ArchiveSchema() {}

    /** The properties of a new table. */
    static Map<String, String> properties(ArchiveSettings settings) {
        return Map.ofEntries(
                Map.entry("format-version", "2"),
                Map.entry("write.parquet.row-group-size-bytes", Long.toString(settings.rowGroupBytes())),
                Map.entry("write.target-file-size-bytes", Long.toString(settings.targetFileBytes())),
                Map.entry("write.metadata.metrics.column." + STREAM_KEY, "full"),
                Map.entry("write.metadata.metrics.column." + MESSAGE_ID, "full"),
                Map.entry("write.metadata.metrics.column." + FIELDS + ".key", "none"),
                Map.entry("write.metadata.metrics.column." + FIELDS + ".value", "none"),
                Map.entry("write.metadata.previous-versions-max", "100"),
                Map.entry("commit.retry.num-retries", "20"),
                Map.entry("commit.retry.min-wait-ms", "20"),
                Map.entry("commit.retry.max-wait-ms", "2000"),
                Map.entry("commit.retry.total-timeout-ms", "60000"));
    }

    /** The partition of a log. */
    public static StructLike partition(PartitionSpec spec, String streamKey) {
        PartitionData partition = new PartitionData(spec.partitionType());
        partition.set(0, streamKey);
        return partition;
    }

    /**
     * Checks that Korvet can go on with a table that it finds; further columns are none of its business as long as they
     * are optional.
     *
     * @throws ColdTierException REFUSED, says what was expected
     */
    static void check(Table table) {
        for (NestedField expected : SCHEMA.columns()) {
            NestedField found = table.schema().findField(expected.name());
            if (found == null) {
                throw unfit(table, "column " + expected.name() + " is missing", "required " + expected.type());
            }
            if (found.type().typeId() != expected.type().typeId() || found.isOptional()) {
                throw unfit(table, "column " + found, "a required " + expected.type());
            }
        }
        for (NestedField found : table.schema().columns()) {
            if (SCHEMA.findField(found.name()) == null && found.isRequired() && found.writeDefault() == null) {
                throw unfit(table, "column " + found.name() + " is required", "further columns to be optional");
            }
        }
        List<PartitionField> parts = table.spec().fields();
        int streamKey = table.schema().findField(STREAM_KEY).fieldId();
        if (parts.size() != 1
                || parts.get(0).sourceId() != streamKey
                || !parts.get(0).transform().isIdentity()) {
            throw unfit(table, "partitioned by " + parts, "identity of " + STREAM_KEY);
        }
    }

    private static ColdTierException unfit(Table table, String found, String expected) {
        return new ColdTierException(
                Kind.REFUSED,
                "table " + table.name() + " at " + table.location() + ": " + found + ", expected " + expected
                        + "; change it back, or give korvet.storage.remote.path another root");
    }
}
