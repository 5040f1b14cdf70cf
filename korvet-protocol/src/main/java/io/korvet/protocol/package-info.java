/** Kafka requests and responses as bytes, and the one table of what is served. */
@NullMarked
package io.korvet.protocol;

import org.jspecify.annotations.NullMarked;
