/**
 * The cold tier as one Apache Iceberg table of Parquet files (seed: remote storage). The only package that knows Iceberg,
 * Parquet, Hadoop and the AWS SDK.
 */
@NullMarked
package io.korvet.tiering.iceberg;

import org.jspecify.annotations.NullMarked;
