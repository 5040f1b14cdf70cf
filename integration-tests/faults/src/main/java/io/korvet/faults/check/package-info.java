/** The rules that a history must keep. */
@NullMarked
package io.korvet.faults.check;

import org.jspecify.annotations.NullMarked;
