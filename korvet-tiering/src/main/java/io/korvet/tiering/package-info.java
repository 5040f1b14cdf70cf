/**
 * The life of segments after the append: sealed by age, removed by retention, and later offloaded to a cold tier. What
 * to do is decided by {@link io.korvet.tiering.TierPlanner}, a pure function; doing it is
 * {@link io.korvet.tiering.StorageWorker}'s.
 */
@NullMarked
package io.korvet.tiering;

import org.jspecify.annotations.NullMarked;
