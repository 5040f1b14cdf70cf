package io.korvet.faults.client;

import java.util.concurrent.atomic.LongAdder;

/** What all clients together did so far. */
record Tally(LongAdder sent, LongAdder acknowledged, LongAdder failed, LongAdder unknown, LongAdder read) {
    Tally() {
        this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder());
    }

    @Override
    public String toString() {
        return sent + " sent, " + acknowledged + " acknowledged, " + failed + " failed, " + unknown + " unknown, "
                + read + " read";
    }
}
