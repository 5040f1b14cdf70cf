/** For tests of every module that handles Netty buffers: a leaked buffer fails the test class. */
@NullMarked
package io.korvet.protocol.leaks;

import org.jspecify.annotations.NullMarked;
