package io.korvet.faults.nemesis;

/** Something that is done to a cluster, and undone. */
interface Fault {
    /** Lets it happen. */
    void begin();

    /** Undoes it; returns when that is done. */
    void end();
}
