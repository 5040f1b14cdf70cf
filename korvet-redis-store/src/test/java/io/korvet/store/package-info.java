/** What every implementation of the store must do, as tests, and what other modules' tests need for it. */
@NullMarked
package io.korvet.store;

import org.jspecify.annotations.NullMarked;
