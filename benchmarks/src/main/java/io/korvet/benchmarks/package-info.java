/** The end-to-end harness: Korvet, Apache Kafka and plain Redis, measured side by side in one run. */
@NullMarked
package io.korvet.benchmarks;

import org.jspecify.annotations.NullMarked;
