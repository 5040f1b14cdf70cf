package io.korvet.tiering.iceberg;

import org.jspecify.annotations.Nullable;

/**
 * A data file as the table's manifests tell of it.
 *
 * @param location its address
 * @param format its format, such as {@code PARQUET}
 * @param length in bytes
 * @param rows how many rows it has
 * @param streamKey whose rows it has, {@code null} when its partition doesn't say
 * @param smallestSegment no row is of a lower segment
 * @param largestSegment no row is of a higher segment
 * @param oldest no row has a smaller timestamp
 * @param newest no row has a greater timestamp
 */
record ArchivedFile(
        String location,
        String format,
        long length,
        long rows,
        @Nullable String streamKey,
        long smallestSegment,
        long largestSegment,
        long oldest,
        long newest) {

    /** Whether it can have rows of a segment. */
    boolean mayHave(long segment) {
        return smallestSegment <= segment && segment <= largestSegment;
    }
}
