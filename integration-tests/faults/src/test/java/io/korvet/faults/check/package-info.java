@NullMarked
package io.korvet.faults.check;

import org.jspecify.annotations.NullMarked;
