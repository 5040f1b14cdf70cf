/** A store in memory with the semantics of the one on Redis, for the tests of modules that use a store. */
@NullMarked
package io.korvet.store.memory;

import org.jspecify.annotations.NullMarked;
