/** Partitions: the path between record batches and the store's entry logs. */
@NullMarked
package io.korvet.server.log;

import org.jspecify.annotations.NullMarked;
