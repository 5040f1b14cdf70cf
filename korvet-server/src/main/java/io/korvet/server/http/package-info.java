/** Health, metrics and administration over HTTP. */
@NullMarked
package io.korvet.server.http;

import org.jspecify.annotations.NullMarked;
