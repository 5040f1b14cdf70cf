/** Kafka offsets, Redis stream entry ids, and the rules between them. */
@NullMarked
package io.korvet.offsets;

import org.jspecify.annotations.NullMarked;
