package io.korvet.protocol;

import org.apache.kafka.common.protocol.Errors;

/** Bytes that break the Kafka protocol; {@link #error()} is the code the client gets when it can get one. */
public final class ProtocolException extends RuntimeException {

    private final transient Errors error;

    /** A violation, with a message that says what was found and what was expected. */
    public ProtocolException(Errors error, String message) {
        super(message);
        this.error = error;
    }

    /** The same with the failure underneath. */
    public ProtocolException(Errors error, String message, Throwable cause) {
        super(message, cause);
        this.error = error;
    }

    /** Kafka's code for it. */
    public Errors error() {
        return error;
    }
}
