package io.korvet.server;

import io.korvet.server.config.KorvetConfig;
import io.korvet.server.config.RedisConfig;
import io.korvet.store.StoreNotReadyException;
import io.korvet.store.redis.RedisStore;
import io.korvet.store.redis.RedisStoreOptions;
import io.korvet.store.redis.RedisStoreOptions.Topology;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the store at the start. One that can't be reached or won't have us stops the start at once; one that is there and
 * not ready yet is waited for (docs/adr/0021-redis-cluster.md).
 */
final class RedisOpening {

    private static final Logger LOG = LoggerFactory.getLogger(RedisOpening.class);
    private static final int MOST_CALLS_TO_REDIS = 10_000;
    private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(500);

    private final KorvetConfig config;
    private final CountDownLatch givenUp = new CountDownLatch(1);

    RedisOpening(KorvetConfig config) {
        this.config = config;
    }

    /**
     * The store, connected; blocks until it is.
     *
     * @param shared without threads of their own the connections share those of the clients: an append then changes none
     * @throws StartException when Redis can't be used, not even after the time to wait
     */
    RedisStore open(@Nullable EventLoopGroup shared) {
        long begun = System.nanoTime();
        String told = "";
        while (true) {
            try {
                RedisStore store =
                        KorvetServer.await(RedisStore.open(options(), dataOptions(), shared), "Redis can't be used");
                if (!told.isEmpty()) {
                    LOG.info("Redis is ready after {} s", seconds(begun));
                }
                return store;
            } catch (StartException e) {
                if (!(e.getCause() instanceof StoreNotReadyException)) {
                    throw e;
                }
                if (System.nanoTime() - begun >= patience().toNanos()) {
                    throw new StartException(
                            e.getMessage() + " Waited for " + seconds(begun) + " s (korvet.redis.start-timeout).",
                            e.getCause());
                }
                if (!told.equals(e.getMessage())) {
                    told = String.valueOf(e.getMessage());
                    LOG.warn(
                            "{} The start waits for it, {} s at the most",
                            told,
                            patience().toSeconds());
                }
                pause(e);
            }
        }
    }

    private void pause(StartException failure) {
        try {
            if (givenUp.await(BETWEEN_ATTEMPTS.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new StartException("stopped while it waited: " + failure.getMessage(), failure);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted while it waited: " + failure.getMessage(), e);
        }
    }

    /** Has a start that waits fail soon; from any thread. */
    void giveUp() {
        givenUp.countDown();
    }

    private static long seconds(long sinceNanos) {
        return Duration.ofNanos(System.nanoTime() - sinceNanos).toSeconds();
    }

    private Duration patience() {
        Duration shared = config.redis().startTimeout();
        Duration local = config.storage().local().redis().startTimeout();
        return hasDataRedis() && local.compareTo(shared) > 0 ? local : shared;
    }

    private boolean hasDataRedis() {
        return config.storage().local().redis().isConfigured();
    }

    private RedisStoreOptions options() {
        return options(config.redis());
    }

    private RedisStoreOptions dataOptions() {
        return hasDataRedis() ? options(config.storage().local().redis()) : options();
    }

    private RedisStoreOptions options(RedisConfig redis) {
        return new RedisStoreOptions(
                redis.connectionUri(),
                redis.cluster() ? Topology.CLUSTER : Topology.SINGLE,
                redis.sentinel().password(),
                config.namespace(),
                redis.timeout(),
                Math.max(1, redis.ioThreads()),
                MOST_CALLS_TO_REDIS);
    }
}
