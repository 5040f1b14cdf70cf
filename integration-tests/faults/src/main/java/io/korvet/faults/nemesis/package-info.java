/** What is done to brokers, Redis, clocks and the network, in an order that a seed decides. */
@NullMarked
package io.korvet.faults.nemesis;

import org.jspecify.annotations.NullMarked;
