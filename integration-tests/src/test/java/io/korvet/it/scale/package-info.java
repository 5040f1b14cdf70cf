/** A cluster of many partitions and groups, and what it costs. */
@NullMarked
package io.korvet.it.scale;

import org.jspecify.annotations.NullMarked;
