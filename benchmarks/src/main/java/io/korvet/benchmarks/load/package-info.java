/** What is done to them: clients that produce, consume and keep time. */
@NullMarked
package io.korvet.benchmarks.load;

import org.jspecify.annotations.NullMarked;
