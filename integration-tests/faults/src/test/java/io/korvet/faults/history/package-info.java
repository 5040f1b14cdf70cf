@NullMarked
package io.korvet.faults.history;

import org.jspecify.annotations.NullMarked;
