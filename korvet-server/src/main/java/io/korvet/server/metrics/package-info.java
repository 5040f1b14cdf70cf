/** The broker's meters (docs/metrics.md), kept with Micrometer and shown in Prometheus' format. */
@NullMarked
package io.korvet.server.metrics;

import org.jspecify.annotations.NullMarked;
