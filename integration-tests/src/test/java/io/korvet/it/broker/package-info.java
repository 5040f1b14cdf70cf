/** The brokers the tests can be run against, and the processes they start. */
@NullMarked
package io.korvet.it.broker;

import org.jspecify.annotations.NullMarked;
