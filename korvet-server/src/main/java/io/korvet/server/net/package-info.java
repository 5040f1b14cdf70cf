/** Netty listeners: frames, order of answers, back-pressure. */
@NullMarked
package io.korvet.server.net;

import org.jspecify.annotations.NullMarked;
