package io.korvet.faults.check;

/** What a history must keep. */
public enum Rule {
    /** An acknowledged record is in the log. */
    LOST,
    /** An acknowledged record is at the offset and in the partition it was acknowledged for. */
    WRONG_PLACE,
    /** A record that failed for good is nowhere. */
    FAILED_BUT_STORED,
    /** A record in the log was sent by somebody. */
    PHANTOM,
    /** A record is in the log once. */
    DUPLICATE,
    /** Records of one producer in one partition are in the order in which they were sent. */
    REORDERED,
    /** A record that was sent after another one was acknowledged comes after it. */
    OVERTAKEN,
    /** A record has the timestamp it was sent with. */
    WRONG_TIMESTAMP,
    /** What was read at an offset is what the log has there. */
    WRONG_READ,
    /** A reader that goes nowhere else gets ascending offsets. */
    NOT_ASCENDING,
    /** A reader that goes nowhere else misses no record. */
    SKIPPED,
    /** A reader gets whole records, and is never told that its place isn't there. */
    BROKEN_READ,
    /** A reader that was given the time has read all. */
    UNREAD,
    /** A group goes on no earlier than where a stored position says, unless a commit without an answer says so. */
    COMMIT_LOST,
    /** A group goes on no later than where somebody wanted to commit. */
    COMMIT_AHEAD,
    /** Each record was delivered to the group. */
    UNDELIVERED,
    /** After all is done the group's position is the end of the log. */
    LAG,
    /** Clients make progress again within a bound after a fault is over. */
    STUCK
}
