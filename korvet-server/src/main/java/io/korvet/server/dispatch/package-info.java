/** From a decoded request to the handler of its API key, and back. */
@NullMarked
package io.korvet.server.dispatch;

import org.jspecify.annotations.NullMarked;
