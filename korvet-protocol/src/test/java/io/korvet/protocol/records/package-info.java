/** Tests of the record batches, most of them against what kafka-clients reads and writes. */
@NullMarked
package io.korvet.protocol.records;

import org.jspecify.annotations.NullMarked;
