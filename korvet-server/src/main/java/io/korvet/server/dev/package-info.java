/** The Redis that {@code server --dev} runs for itself: finding a binary, running it, ending it whatever happens. */
@NullMarked
package io.korvet.server.dev;

import org.jspecify.annotations.NullMarked;
