package io.korvet.server.net;

import io.korvet.server.net.ReadGate.Reason;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the bytes of requests that are being handled, over all connections.
 *
 * <p>Above the limit no socket is read; at the resume level all are again. What had been received by then is still taken, so the
 * limit may be passed by a receive buffer per connection and by one whole request. Requests not yet received in full don't
 * count: they can't be handled to make room. Thread-safe.
 */
public final class InFlightBudget {

    private final long limit;
    private final long resumeLevel;
    private final AtomicLong pending = new AtomicLong();
    private final LargeRequests largeRequests;
    private final Set<ReadGate> gates = new HashSet<>();
    private volatile boolean paused;

    /** A budget with nothing taken of it. */
    public InFlightBudget(NetOptions options) {
        this.limit = options.maxPendingBytes();
        this.resumeLevel = options.resumePendingBytes();
        this.largeRequests = new LargeRequests(options.maxPendingBytes());
    }

    /** Bytes of requests being handled now. */
    public long pendingBytes() {
        return pending.get();
    }

    /** Turns for large requests that are still being received; these bytes are not among the pending ones. */
    LargeRequests largeRequests() {
        return largeRequests;
    }

    /** Takes a request's bytes. */
    void acquire(int bytes) {
        if (pending.addAndGet(bytes) > limit && !paused) {
            adjust();
        }
    }

    /** Gives a request's bytes back. */
    void release(int bytes) {
        if (pending.addAndGet(-bytes) <= resumeLevel && paused) {
            adjust();
        }
    }

    synchronized void register(ReadGate gate) {
        gates.add(gate);
        if (paused) {
            gate.close(Reason.PENDING_BYTES);
        }
    }

    synchronized void unregister(ReadGate gate) {
        gates.remove(gate);
    }

    private synchronized void adjust() {
        if (!paused && pending.get() > limit) {
            paused = true;
            gates.forEach(gate -> gate.close(Reason.PENDING_BYTES));
        }
        // Looked at again after pausing: a release in between may not have seen the pause.
        if (paused && pending.get() <= resumeLevel) {
            paused = false;
            gates.forEach(gate -> gate.open(Reason.PENDING_BYTES));
        }
    }
}
