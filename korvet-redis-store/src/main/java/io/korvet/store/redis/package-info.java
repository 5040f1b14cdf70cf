/**
 * The store on Redis, driven by Lettuce: {@link io.korvet.store.redis.RedisStore} opens it, {@link
 * io.korvet.store.redis.KeySchema} spells its keys, the scripts lie beside the classes as resources.
 */
@NullMarked
package io.korvet.store.redis;

import org.jspecify.annotations.NullMarked;
