/** The archive of the cold tier as strangers see it: by its path and with plain Iceberg, nothing of Korvet's. */
@NullMarked
package io.korvet.it.archive;

import org.jspecify.annotations.NullMarked;
