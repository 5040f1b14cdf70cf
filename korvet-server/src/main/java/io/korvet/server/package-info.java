/** The broker: composition root and command line. */
@NullMarked
package io.korvet.server;

import org.jspecify.annotations.NullMarked;
