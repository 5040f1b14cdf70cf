/** A run with faults: real processes in network namespaces, a seeded schedule, and a checker over what clients saw. */
@NullMarked
package io.korvet.faults;

import org.jspecify.annotations.NullMarked;
