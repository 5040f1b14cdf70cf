/** Tests of the store on Redis, and the Redis servers they run against, which other modules' tests use too. */
@NullMarked
package io.korvet.store.redis;

import org.jspecify.annotations.NullMarked;
