package io.korvet.server.net;

import io.korvet.server.dispatch.Connection;
import io.korvet.server.dispatch.Dispatcher;
import io.korvet.server.dispatch.Exchange;
import io.korvet.server.dispatch.RequestObserver;
import io.korvet.server.net.ReadGate.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.timeout.IdleStateEvent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of a connection's pipeline: hands requests to the dispatcher and keeps the connection's limits. */
@SuppressWarnings("FutureReturnValueIgnored") // a failing write or close ends in exceptionCaught or channelInactive
final class ConnectionHandler extends ChannelInboundHandlerAdapter {

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionHandler.class);

    private final Connection connection;
    private final Channel channel;
    private final ReadGate gate;
    private final ResponseSequencer sequencer;
    private final InFlightBudget budget;
    private final Dispatcher dispatcher;
    private final RequestObserver observer;
    private final int maxPendingRequests;
    private boolean closing;

    ConnectionHandler(
            String listener,
            Channel channel,
            ReadGate gate,
            InFlightBudget budget,
            Dispatcher dispatcher,
            RequestObserver observer,
            NetOptions options) {
        this.connection = new Connection(
                channel.id().asShortText(),
                listener,
                channel.remoteAddress() instanceof InetSocketAddress peer
                        ? peer
                        : InetSocketAddress.createUnresolved(String.valueOf(channel.remoteAddress()), 0));
        this.channel = channel;
        this.gate = gate;
        this.sequencer = new ResponseSequencer(channel, this::advanced);
        this.budget = budget;
        this.dispatcher = dispatcher;
        this.observer = observer;
        this.maxPendingRequests = options.maxPendingRequests();
    }

    /** Reads no further request, and closes once all answers are sent. From anywhere. */
    void closeWhenAnswered() {
        gate.close(Reason.CLOSING);
        channel.eventLoop().execute(() -> {
            closing = true;
            closeIfAnswered();
        });
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        budget.register(gate);
        observer.connectionOpened(connection.listener());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        budget.unregister(gate);
        gate.gone();
        sequencer.close();
        observer.connectionClosed(connection.listener());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        PendingExchange exchange = new PendingExchange((ByteBuf) message);
        if (sequencer.size() >= maxPendingRequests) {
            gate.close(Reason.PENDING_REQUESTS);
        }
        dispatcher.dispatch(exchange);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (channel.isWritable()) {
            gate.open(Reason.UNSENT_ANSWERS);
        } else {
            gate.close(Reason.UNSENT_ANSWERS);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof IdleStateEvent && sequencer.size() == 0) {
            LOG.atDebug().addKeyValue("connectionId", connection.id()).log("Idle connection closed");
            context.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        (cause instanceof IOException ? LOG.atDebug() : LOG.atError())
                .addKeyValue("connectionId", connection.id())
                .addKeyValue("peer", connection.peer())
                .setCause(cause)
                .log("Connection closed by a failure");
        context.close();
    }

    private void advanced() {
        if (sequencer.size() < maxPendingRequests) {
            gate.open(Reason.PENDING_REQUESTS);
        }
        closeIfAnswered();
    }

    private void closeIfAnswered() {
        if (closing && sequencer.size() == 0) {
            // Behind the answers already written.
            channel.writeAndFlush(channel.alloc().buffer(0)).addListener(sent -> channel.close());
        }
    }

    /** One request, from its frame to its answer. */
    private final class PendingExchange implements Exchange {

        private final ByteBuf frame;
        private final int frameBytes;
        private final AtomicBoolean released = new AtomicBoolean();
        private final ResponseSequencer.Place place;

        PendingExchange(ByteBuf frame) {
            this.frame = frame;
            this.frameBytes = frame.readableBytes();
            this.place = sequencer.reserve();
            budget.acquire(frameBytes);
        }

        @Override
        public Connection connection() {
            return connection;
        }

        @Override
        public ByteBuf frame() {
            return frame;
        }

        @Override
        public void releaseFrame() {
            if (released.compareAndSet(false, true)) {
                frame.release();
                budget.release(frameBytes);
            }
        }

        @Override
        public void answer(ByteBuf response) {
            place.answer(response);
        }

        @Override
        public void answerNothing() {
            place.answerNothing();
        }

        @Override
        public void close() {
            gate.close(Reason.CLOSING);
            place.close();
        }
    }
}
