@NullMarked
package io.korvet.faults;

import org.jspecify.annotations.NullMarked;
