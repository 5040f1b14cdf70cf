package io.korvet.server.log;

import io.korvet.store.LogState;

/** What an {@link AppendQueue} tells its partition; called under the queue's lock, in the order of the log. */
interface AppendListener {
    /**
     * A batch is in the log.
     *
     * @param isCopied whether as many replicas have it as its topic wants, above 0
     */
    void appended(IncomingBatch batch, long previousLast, long baseOffset, long segment, boolean isCopied);

    /** What was just appended has too few copies. */
    void copiesMissing();

    void stateRead(LogState state);

    void fenced();

    /** After {@link #appended}, outside the lock and after the producer's answer. */
    void wake();
}
