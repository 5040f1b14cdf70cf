package io.korvet.server.log;

/** When a producer is answered. */
public enum Acks {
    /** When its records are in the log. */
    WRITTEN,
    /** When as many copies exist as {@code min.insync.replicas} says. */
    ALL
}
