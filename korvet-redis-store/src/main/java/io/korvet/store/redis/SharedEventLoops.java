package io.korvet.store.redis;

import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.concurrent.TimeUnit;

/** Event loops that somebody else owns, for the driver to use and never to end. */
final class SharedEventLoops implements EventLoopGroupProvider {

    private final EventLoopGroup loops;

    SharedEventLoops(EventLoopGroup loops) {
        this.loops = loops;
    }

    @Override
    public <T extends EventLoopGroup> T allocate(Class<T> type) {
        if (!type.isInstance(loops)) {
            throw new IllegalArgumentException(
                    "event loops of " + loops.getClass().getName() + ": the driver expected " + type.getName());
        }
        return type.cast(loops);
    }

    @Override
    public int threadPoolSize() {
        return 1;
    }

    @Override
    public Future<Boolean> release(EventExecutorGroup eventLoopGroup, long quietPeriod, long timeout, TimeUnit unit) {
        return GlobalEventExecutor.INSTANCE.newSucceededFuture(true);
    }

    @Override
    public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit timeUnit) {
        return GlobalEventExecutor.INSTANCE.newSucceededFuture(true);
    }
}
