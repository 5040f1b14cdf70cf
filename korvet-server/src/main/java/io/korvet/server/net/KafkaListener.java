package io.korvet.server.net;

import io.korvet.server.dispatch.Dispatcher;
import io.korvet.server.dispatch.RequestObserver;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One port that speaks the Kafka protocol. Single use: started once, stopped once. */
public final class KafkaListener {

    private static final int BACKLOG = 1024;

    private final String name;
    private final InetSocketAddress address;
    private final EventLoops eventLoops;
    private final NetOptions options;
    private final InFlightBudget budget;
    private final Dispatcher dispatcher;
    private final RequestObserver observer;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private volatile @Nullable Channel server;
    private volatile boolean stopping;

    /**
     * A listener that doesn't listen yet.
     *
     * @param name its name in {@code RequestContext} and metrics
     * @param address where to listen; port 0 takes a free one
     * @param eventLoops shared by all listeners; the caller stops them after the last listener
     * @param budget shared by all listeners
     */
    public KafkaListener(
            String name,
            InetSocketAddress address,
            EventLoops eventLoops,
            NetOptions options,
            InFlightBudget budget,
            Dispatcher dispatcher,
            RequestObserver observer) {
        this.name = name;
        this.address = address;
        this.eventLoops = eventLoops;
        this.options = options;
        this.budget = budget;
        this.dispatcher = dispatcher;
        this.observer = observer;
    }

    /** Starts to listen; the stage gives the port, or fails with what the socket says (a port taken: BindException). */
    public CompletionStage<Integer> start() {
        CompletableFuture<Integer> port = new CompletableFuture<>();
        ChannelFuture bound = new ServerBootstrap()
                .group(eventLoops.boss(), eventLoops.workers())
                .channel(eventLoops.channelType())
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        new WriteBufferWaterMark(options.maxUnsentBytes() / 2, options.maxUnsentBytes()))
                .childHandler(new Pipeline())
                .bind(address);
        server = bound.channel();
        bound.addListener(done -> {
            if (done.isSuccess()) {
                port.complete(((InetSocketAddress) bound.channel().localAddress()).getPort());
            } else {
                port.completeExceptionally(done.cause());
            }
        });
        return port;
    }

    /**
     * Stops: accepts no connection and reads no request from now on, closes each connection once its answers are sent, and all
     * that are left at the limit.
     */
    public CompletionStage<Void> stop(Duration limit) {
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        Channel listening = server;
        if (listening == null) {
            stopped.complete(null);
            return stopped;
        }
        stopping = true;
        listening.close().addListener(notListening -> {
            connections.forEach(KafkaListener::closeWhenAnswered);
            var deadline = GlobalEventExecutor.INSTANCE.schedule(
                    this::closeConnections, limit.toMillis(), TimeUnit.MILLISECONDS);
            connections.newCloseFuture().addListener(allClosed -> {
                deadline.cancel(false);
                closeConnections();
                stopped.complete(null);
            });
        });
        return stopped;
    }

    private static void closeWhenAnswered(Channel connection) {
        ConnectionHandler handler = connection.pipeline().get(ConnectionHandler.class);
        if (handler != null) {
            handler.closeWhenAnswered();
        }
    }

    private void closeConnections() {
        ChannelGroupFuture unused = connections.close();
    }

    /** What every connection goes through. */
    private final class Pipeline extends ChannelInitializer<Channel> {

        @Override
        protected void initChannel(Channel channel) {
            ReadGate gate = new ReadGate(channel, name, observer, () -> resume(channel));
            channel.pipeline()
                    .addLast(new IdleStateHandler(0, 0, options.maxIdle().toMillis(), TimeUnit.MILLISECONDS))
                    .addLast(new FlushConsolidationHandler(
                            FlushConsolidationHandler.DEFAULT_EXPLICIT_FLUSH_AFTER_FLUSHES, true))
                    .addLast(new FrameDecoder(options.maxRequestBytes(), gate, budget.largeRequests()))
                    .addLast(new ConnectionHandler(name, channel, gate, budget, dispatcher, observer, options));
            connections.add(channel);
            if (stopping) {
                // Accepted before, and perhaps too late to be among those that were told.
                channel.eventLoop().execute(() -> closeWhenAnswered(channel));
            }
        }

        private static void resume(Channel channel) {
            var context = channel.pipeline().context(FrameDecoder.class);
            if (context != null) {
                try {
                    ((FrameDecoder) context.handler()).resume(context);
                } catch (Exception e) {
                    context.fireExceptionCaught(e);
                }
            }
        }
    }
}
