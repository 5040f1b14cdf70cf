package io.korvet.server.net;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Turns for requests so large that their halves must not pile up: together those being received are bounded, the others wait
 * unread until it is their turn. One of any size may go when no other does. Thread-safe.
 */
final class LargeRequests {

    /** From this size on a request needs a turn, in bytes. */
    static final int LARGE = 1 << 20;

    private final long most;
    private final Deque<Turn> waiting = new ArrayDeque<>();
    private long receiving;

    LargeRequests(long most) {
        this.most = most;
    }

    /** One request's turn: asked for, had, given back. */
    final class Turn {
        private final int bytes;
        private final Runnable granted;
        private boolean had;
        private boolean over;

        private Turn(int bytes, Runnable granted) {
            this.bytes = bytes;
            this.granted = granted;
        }

        /** Whether the request may be received. */
        boolean isHad() {
            synchronized (LargeRequests.this) {
                return had;
            }
        }

        /** The request is there in whole, or its connection has gone. Idempotent. */
        void end() {
            Deque<Turn> next = new ArrayDeque<>();
            synchronized (LargeRequests.this) {
                if (over) {
                    return;
                }
                over = true;
                if (had) {
                    receiving -= bytes;
                } else {
                    waiting.remove(this);
                }
                while (!waiting.isEmpty() && fits(waiting.element())) {
                    Turn first = waiting.remove();
                    first.grant();
                    next.add(first);
                }
            }
            next.forEach(turn -> turn.granted.run());
        }

        private void grant() {
            had = true;
            receiving += bytes;
        }
    }

    /**
     * Asks for a turn.
     *
     * @param granted run once when the turn comes later; not when it is had at once
     */
    synchronized Turn turn(int bytes, Runnable granted) {
        Turn turn = new Turn(bytes, granted);
        if (waiting.isEmpty() && fits(turn)) {
            turn.grant();
        } else {
            waiting.add(turn);
        }
        return turn;
    }

    private boolean fits(Turn turn) {
        return receiving == 0 || receiving + turn.bytes <= most;
    }
}
