/** One handler class per API key. */
@NullMarked
package io.korvet.server.handler;

import org.jspecify.annotations.NullMarked;
