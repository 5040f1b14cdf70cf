/** The processes that are measured, and what they cost. */
@NullMarked
package io.korvet.benchmarks.process;

import org.jspecify.annotations.NullMarked;
