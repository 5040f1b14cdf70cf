/** What clients see, as tests that hold on Korvet and on Apache Kafka. */
@NullMarked
package io.korvet.it;

import org.jspecify.annotations.NullMarked;
