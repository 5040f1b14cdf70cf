package io.korvet.server.log;

/** What partitions tell the meters; called on hot paths, so cheap and never failing. Thread-safe. */
public interface LogObserver {

    /** Where a read was answered from. */
    enum Source {
        /** The tail cache. */
        TAIL,
        /** The store. */
        STORE
    }

    /** An observer that does nothing. */
    LogObserver NONE = new LogObserver() {};

    /** A checked batch enters the queue. */
    default void appending(String topic, int records, int bytes) {}

    /** A read found this many bytes. */
    default void read(String topic, Source source, int bytes) {}

    /** Entries were passed over because their ids have no offset. */
    default void lossy(String topic, int entries) {}

    /** The store refused the partition because its topic is gone. */
    default void fenced(String topic, int partition) {}
}
