/** Topics and their settings as the broker sees them. */
@NullMarked
package io.korvet.server.topics;

import org.jspecify.annotations.NullMarked;
