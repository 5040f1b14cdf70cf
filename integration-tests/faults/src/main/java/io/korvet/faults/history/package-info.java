/** What clients did and were told, as events in files. */
@NullMarked
package io.korvet.faults.history;

import org.jspecify.annotations.NullMarked;
