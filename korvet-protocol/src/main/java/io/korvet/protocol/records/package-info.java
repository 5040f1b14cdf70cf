/** Kafka record batches (message format 2) as bytes. */
@NullMarked
package io.korvet.protocol.records;

import org.jspecify.annotations.NullMarked;
