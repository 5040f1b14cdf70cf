@NullMarked
package io.korvet.faults.nemesis;

import org.jspecify.annotations.NullMarked;
