package io.korvet.server.net;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** The threads of all listeners: epoll where it is there, else NIO. */
public final class EventLoops {

    private static final long QUIET_MILLISECONDS = 0;
    private static final long TIMEOUT_MILLISECONDS = 5_000;

    private final EventLoopGroup boss;
    private final EventLoopGroup workers;
    private final Class<? extends ServerSocketChannel> channelType;

    /**
     * Starts no thread before the first connection needs it.
     *
     * @param bossThreads threads that accept connections
     * @param workerThreads threads that serve them; 0 takes one per two processors, for Redis needs the others
     */
    public EventLoops(int bossThreads, int workerThreads) {
        boolean epoll = Epoll.isAvailable();
        IoHandlerFactory handlers = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        this.channelType = epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        this.boss = new MultiThreadIoEventLoopGroup(
                bossThreads, new DefaultThreadFactory("korvet-accept", false), handlers);
        this.workers = new MultiThreadIoEventLoopGroup(
                workerThreads == 0 ? Math.max(1, Runtime.getRuntime().availableProcessors() / 2) : workerThreads,
                new DefaultThreadFactory("korvet-net", false),
                handlers);
    }

    EventLoopGroup boss() {
        return boss;
    }

    /** The threads that serve connections, for what else may run on them. */
    public EventLoopGroup workers() {
        return workers;
    }

    Class<? extends ServerSocketChannel> channelType() {
        return channelType;
    }

    /** Ends the threads, and with them the connections that are left. */
    public CompletionStage<Void> stop() {
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        boss.shutdownGracefully(QUIET_MILLISECONDS, TIMEOUT_MILLISECONDS, TimeUnit.MILLISECONDS)
                .addListener(bossDone -> workers.shutdownGracefully(
                                QUIET_MILLISECONDS, TIMEOUT_MILLISECONDS, TimeUnit.MILLISECONDS)
                        .addListener(workersDone -> stopped.complete(null)));
        return stopped;
    }
}
