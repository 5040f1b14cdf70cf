package io.korvet.tiering.iceberg;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Arrays for blocks, used again and again. Those of slices in the cache live for long: made anew each time, a collector
 * would copy every one of them out of the young generation while all threads stand still. Thread-safe.
 */
final class BlockSpace {

    /** Room for a slice; below half of a G1 region of 1 MiB, beyond which arrays are allocated in a costly way. */
    static final int BYTES = 448 << 10;

    private final int mostFree;
    private final ArrayDeque<byte[]> free = new ArrayDeque<>(); // guarded by this

    /** Keeps up to so many arrays that nobody uses. */
    BlockSpace(int mostFree) {
        this.mostFree = mostFree;
    }

    /** An array of {@link #BYTES}, with anything in it. */
    byte[] take() {
        byte[] used = last();
        return used == null ? new byte[BYTES] : used;
    }

    private synchronized byte @Nullable [] last() {
        return free.pollLast();
    }

    /** Takes back an array that nobody looks at any more; those of other sizes are left to the collector. */
    synchronized void giveBack(byte[] array) {
        if (array.length == BYTES && free.size() < mostFree) {
            free.addLast(array);
        }
    }

    /** How many arrays nobody uses. */
    synchronized int free() {
        return free.size();
    }
}
