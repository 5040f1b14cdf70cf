package io.korvet.server.net;

import io.korvet.server.dispatch.RequestObserver;
import io.korvet.server.dispatch.RequestObserver.Backpressure;
import io.netty.channel.Channel;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;

/**
 * Decides whether a connection is read: as long as there is no reason not to.
 *
 * <p>Lives on the connection's event loop; {@link #close} and {@link #open} may be called from anywhere.
 */
final class ReadGate {

    /** Why a connection is not read. */
    enum Reason {
        /** Too many bytes of requests are being handled, over all connections. */
        PENDING_BYTES,
        /** Too many requests of this connection wait for their answers. */
        PENDING_REQUESTS,
        /** A large request waits for its turn to be received. */
        LARGE_REQUEST,
        /** The client doesn't take its answers. */
        UNSENT_ANSWERS,
        /** The connection is about to be closed; never goes away. */
        CLOSING
    }

    private final Channel channel;
    private final String listener;
    private final RequestObserver observer;
    private final Runnable opened;
    private final Set<Reason> reasons = EnumSet.noneOf(Reason.class);

    /**
     * An open gate.
     *
     * @param opened run as a task of its own when the last reason has gone
     */
    ReadGate(Channel channel, String listener, RequestObserver observer, Runnable opened) {
        this.channel = channel;
        this.listener = listener;
        this.observer = observer;
        this.opened = opened;
    }

    /** Whether there is a reason not to read. On the event loop only. */
    boolean isClosed() {
        return !reasons.isEmpty();
    }

    /** Adds a reason not to read. */
    void close(Reason reason) {
        onEventLoop(() -> {
            boolean wasOpen = reasons.isEmpty();
            reasons.add(reason);
            if (wasOpen) {
                channel.config().setAutoRead(false);
                observer.backpressure(listener, Backpressure.PAUSED);
            }
        });
    }

    /** Takes a reason away. */
    void open(Reason reason) {
        onEventLoop(() -> {
            if (reason != Reason.CLOSING && reasons.remove(reason) && reasons.isEmpty()) {
                observer.backpressure(listener, Backpressure.RESUMED);
                channel.eventLoop().execute(opened);
                channel.config().setAutoRead(true);
            }
        });
    }

    /** The connection has gone. On the event loop only. */
    void gone() {
        if (!reasons.isEmpty()) {
            reasons.clear();
            observer.backpressure(listener, Backpressure.RESUMED);
        }
    }

    private void onEventLoop(Runnable change) {
        if (channel.eventLoop().inEventLoop()) {
            change.run();
            return;
        }
        try {
            channel.eventLoop().execute(change);
        } catch (RejectedExecutionException e) {
            // The event loop has ended, and the connection with it.
        }
    }
}
