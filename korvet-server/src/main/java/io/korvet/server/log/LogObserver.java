package io.korvet.server.log;

import org.apache.kafka.common.protocol.Errors;

/** What partitions tell the meters; called on hot paths, so cheap and never failing. Thread-safe. */
public interface LogObserver {

    /** Where a read was answered from. */
    enum Source {
        /** The tail cache. */
        TAIL,
        /** The store. */
        STORE,
        /** The cold tier. */
        COLD
    }

    /** An observer that does nothing. */
    LogObserver NONE = new LogObserver() {};

    /** An append was answered; the time is from the check of the batch to the answer. */
    default void appended(String topic, int records, long nanoseconds, Errors error) {}

    /** A read was answered with this many records (as far as the batches tell). */
    default void read(String topic, Source source, int records, long nanoseconds) {}

    /** A read could not be answered by what was asked. */
    default void readFailed(String topic, Source source, Errors error, long nanoseconds) {}

    /** Entries were passed over because their ids have no offset. */
    default void lossy(String topic, int entries) {}

    /** The store refused the partition because its topic is gone. */
    default void fenced(String topic, int partition) {}
}
