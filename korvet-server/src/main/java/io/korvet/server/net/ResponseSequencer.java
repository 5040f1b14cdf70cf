package io.korvet.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Sends a connection's answers in the order in which their places were reserved, whatever order they come in.
 *
 * <p>Places are reserved on the connection's event loop and filled from anywhere, each once. It holds as many places as its
 * owner reserves, which stops at {@link NetOptions#maxPendingRequests()}. An answer that comes after the connection has gone is
 * released.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failing write or close ends in exceptionCaught or channelInactive
final class ResponseSequencer {

    private static final Object NOTHING = new Object();
    private static final Object CLOSE = new Object();
    private static final Object TAKEN = new Object();

    private final Channel channel;
    private final Runnable advanced;
    private final Queue<Place> places = new ArrayDeque<>();
    private final AtomicBoolean drainScheduled = new AtomicBoolean();
    private boolean closed;

    /**
     * A sequencer without places.
     *
     * @param advanced run on the event loop after places were taken off
     */
    ResponseSequencer(Channel channel, Runnable advanced) {
        this.channel = channel;
        this.advanced = advanced;
    }

    /** The place of one answer. */
    final class Place {

        private final AtomicReference<Object> content = new AtomicReference<>();

        /** Fills it with an answer, which is taken over. */
        void answer(ByteBuf response) {
            fill(response);
        }

        /** Fills it with nothing. */
        void answerNothing() {
            fill(NOTHING);
        }

        /** Makes the connection close when its turn comes. */
        void close() {
            fill(CLOSE);
        }

        private void fill(Object filling) {
            if (content.compareAndSet(null, filling)) {
                scheduleDrain();
            } else {
                ReferenceCountUtil.release(filling);
            }
        }

        private Object take() {
            return content.getAndSet(TAKEN);
        }
    }

    /** Reserves the next place. On the event loop only. */
    Place reserve() {
        Place place = new Place();
        if (closed) {
            place.take();
        } else {
            places.add(place);
        }
        return place;
    }

    /** Places whose answers haven't been sent. On the event loop only. */
    int size() {
        return places.size();
    }

    /** The connection has gone: answers are released from now on. On the event loop only. */
    void close() {
        closed = true;
        for (Place place : places) {
            ReferenceCountUtil.release(place.take());
        }
        places.clear();
    }

    private void scheduleDrain() {
        if (channel.eventLoop().inEventLoop()) {
            drain();
        } else if (drainScheduled.compareAndSet(false, true)) {
            try {
                channel.eventLoop().execute(this::drain);
            } catch (RejectedExecutionException e) {
                // The event loop has ended, and with it the connection: close() has taken the contents.
            }
        }
    }

    private void drain() {
        drainScheduled.set(false);
        boolean sent = false;
        boolean taken = false;
        for (Place first = places.peek(); first != null && first.content.get() != null; first = places.peek()) {
            places.remove();
            taken = true;
            Object content = first.take();
            if (content instanceof ByteBuf response) {
                channel.write(response, channel.voidPromise());
                sent = true;
            } else if (content == CLOSE) {
                channel.flush();
                channel.close();
                break;
            }
        }
        if (sent) {
            channel.flush();
        }
        if (taken) {
            advanced.run();
        }
    }
}
