/** From samples to tables. */
@NullMarked
package io.korvet.benchmarks.report;

import org.jspecify.annotations.NullMarked;
