/** Time that tests move by hand. */
@NullMarked
package io.korvet.store.time;

import org.jspecify.annotations.NullMarked;
