/** Where the CPU time of a broker goes. */
@NullMarked
package io.korvet.benchmarks.profile;

import org.jspecify.annotations.NullMarked;
