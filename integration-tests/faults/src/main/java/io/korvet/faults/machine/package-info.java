/** Namespaces, links and processes of a run. */
@NullMarked
package io.korvet.faults.machine;

import org.jspecify.annotations.NullMarked;
