/** The command line. */
@NullMarked
package io.korvet.server.cli;

import org.jspecify.annotations.NullMarked;
