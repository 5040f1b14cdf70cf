package io.korvet.faults.history;

/** Something a client did or was told. Times are microseconds of this machine's monotonic clock, the same in all processes. */
public sealed interface Event {
    /** When it happened. */
    long time();

    /** A record is handed to the producer. */
    record Sent(long time, String partition, Value value, long timestamp) implements Event {}

    /** The producer was told that a record is stored, and where. */
    record Acknowledged(long time, String partition, Value value, long offset) implements Event {}

    /** The producer was told that a record isn't stored and never will be. */
    record Failed(long time, String partition, Value value, String reason) implements Event {}

    /** The producer gave up: a record may be stored or not. */
    record Unknown(long time, String partition, Value value, String reason) implements Event {}

    /** A reader goes to a place: the next record it gets is the first at this offset or above. */
    record Positioned(long time, String partition, long offset) implements Event {}

    /** A member of a group got a partition; it goes on at what the group has committed. */
    record Assigned(long time, String partition) implements Event {}

    /** A reader got a record. */
    record Read(long time, String partition, long offset, long timestamp, Value value) implements Event {}

    /** A reader got what no producer of this run can have sent, or was told that its place doesn't exist. */
    record Broken(long time, String partition, long offset, String reason) implements Event {}

    /** A member asks for a position to be stored. */
    record CommitBegun(long time, String partition, long offset) implements Event {}

    /** The position is stored. */
    record Committed(long time, String partition, long offset) implements Event {}

    /** The position of a group after all is done, and where the log ends. */
    record Settled(long time, String partition, long committed, long end) implements Event {}

    /** Something worth a line that no rule looks at. */
    record Note(long time, String text) implements Event {}

    /** Microseconds of the monotonic clock. */
    static long now() {
        return System.nanoTime() / 1_000;
    }
}
