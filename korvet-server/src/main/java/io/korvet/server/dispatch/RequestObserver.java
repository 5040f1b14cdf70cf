package io.korvet.server.dispatch;

import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** Is told of connections and requests, for metrics. Called on event loops and handlers' threads; must be quick. */
public interface RequestObserver {

    /** Does nothing. */
    RequestObserver NONE = new RequestObserver() {};

    /** Whether reading from a connection has stopped or goes on. */
    enum Backpressure {
        /** Reading has stopped. */
        PAUSED,
        /** Reading goes on. */
        RESUMED
    }

    /** A client has connected. */
    default void connectionOpened(String listener) {}

    /** A client has gone. */
    default void connectionClosed(String listener) {}

    /** A connection is no longer read, or is read again. Every pause is followed by a resumption, at the latest at its end. */
    default void backpressure(String listener, Backpressure change) {}

    /** A request was decoded and goes to its handler. */
    default void requestStarted(ApiKeys key, int requestBytes) {}

    /**
     * A request is answered.
     *
     * @param error {@link Errors#NONE} when the handler gave an answer, whatever codes are in it; else what its failure became
     * @param nanoseconds since {@link #requestStarted}
     * @param responseBytes 0 for a request that gets no answer
     */
    default void requestFinished(ApiKeys key, Errors error, long nanoseconds, int responseBytes) {}

    /** Bytes were no request that is served here; their connection is closed. */
    default void requestRefused(Errors error) {}
}
