package io.korvet.it.broker;

/** A broker that tests talk to. */
public interface TestBroker extends AutoCloseable {

    /** Whose broker it is. */
    enum Kind {
        /** Korvet from this build's distribution. */
        KORVET,
        /** Apache Kafka, the control. */
        KAFKA
    }

    /** Whose broker it is. */
    Kind kind();

    /** Host and port for clients. */
    String bootstrap();

    /** Its resident memory in bytes; 0 when not known. */
    long residentBytes();

    /** Ends its process with SIGKILL; the port and what it stored are kept for {@link #start()}. */
    void kill();

    /** Ends its process with SIGTERM and waits for the end. */
    void stop();

    /** Starts it, again too, and returns when it answers. */
    void start();

    @Override
    void close();
}
