/** Tests of frames, order and limits, on embedded channels and real sockets. */
@NullMarked
package io.korvet.server.net;

import org.jspecify.annotations.NullMarked;
