/** Tests of the way from a request to its answer. */
@NullMarked
package io.korvet.server.dispatch;

import org.jspecify.annotations.NullMarked;
