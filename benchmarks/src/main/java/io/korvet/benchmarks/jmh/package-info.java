/** Benchmarks of single classes, run by {@code benchmarks/jmh}. */
@NullMarked
package io.korvet.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
