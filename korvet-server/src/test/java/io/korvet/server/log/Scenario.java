package io.korvet.server.log;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.server.topics.TopicSettings;
import java.util.Set;

/**
 * What may happen in a simulated run.
 *
 * @param encoding of the topic
 * @param brokers that all believe they lead the partition
 * @param producers idempotent ones
 * @param fresh whether the log knows none of them at first
 * @param batches of each producer
 * @param unanswered how many batches a producer sends without an answer
 * @param readers consumers, each led to any broker at any time
 * @param segmentBytes when segments roll
 * @param fine connections whose calls are carried out and answered in steps of their own; those of the others are done at once
 * @param faults how many faults of all kinds may happen
 * @param kinds which faults may happen
 */
record Scenario(
        OffsetEncoding encoding,
        int brokers,
        int producers,
        boolean fresh,
        int batches,
        int unanswered,
        int readers,
        long segmentBytes,
        Set<ScheduledEntryLog.Lane> fine,
        int faults,
        Set<Fault> kinds) {

    /** What goes wrong, or is done to the log from outside. */
    enum Fault {
        /** A connection to Redis is lost; what was sent may still be carried out later. */
        LOST_ANSWERS,
        /** A producer waits no longer and goes to another broker. */
        GIVE_UP,
        /** A broker is told that it leads the partition no longer, and then that it does. */
        LEADERSHIP,
        /** The storage worker seals the open segment. */
        SEAL,
        /** The storage worker takes the oldest segment out of Redis, after copying it. */
        DROP,
        /** Retention removes the oldest segment. */
        REMOVE,
        /** DeleteRecords. */
        TRUNCATE,
        /** A producer without idempotence appends. */
        PLAIN_PRODUCER,
        /** A broker's clock jumps. */
        CLOCK
    }

    TopicSettings settings() {
        return new TopicSettings(
                encoding,
                -1,
                -1,
                -1,
                -1,
                false,
                1,
                segmentBytes,
                1 << 20,
                false,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                "producer",
                1,
                false,
                true);
    }
}
