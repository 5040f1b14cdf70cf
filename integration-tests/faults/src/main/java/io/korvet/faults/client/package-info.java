/** The clients of a run: producers, readers, members of a group. */
@NullMarked
package io.korvet.faults.client;

import org.jspecify.annotations.NullMarked;
