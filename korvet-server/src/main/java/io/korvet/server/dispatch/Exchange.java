package io.korvet.server.dispatch;

import io.netty.buffer.ByteBuf;

/**
 * One request of a connection and the place of its answer among that connection's answers.
 *
 * <p>Exactly one of {@link #answer}, {@link #answerNothing} and {@link #close} is called, on any thread, at any time; answers
 * are sent in the order of the requests all the same. What comes after the first, or after the client has gone, has no effect.
 */
public interface Exchange {

    /** The connection it came through. */
    Connection connection();

    /** The request without the length in front, until {@link #releaseFrame()}. */
    ByteBuf frame();

    /** Gives the request's bytes back to the memory and to the budget of pending bytes; a second call does nothing. */
    void releaseFrame();

    /** Sends an answer, length in front; the buffer is taken over. */
    void answer(ByteBuf response);

    /** The client waits for no answer; lets the next one pass. */
    void answerNothing();

    /** Closes the connection once the answers before are sent, and reads no further request from it. */
    void close();
}
