/** A Kafka client of a few lines, for requests that real clients never send. */
@NullMarked
package io.korvet.it.raw;

import org.jspecify.annotations.NullMarked;
