package io.korvet.server;

/** A start that can't go on; the message tells a person what is wrong and what to do, without a stack trace. */
public final class StartException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What is wrong and what to do. */
    public StartException(String message) {
        super(message);
    }

    /** The same with what caused it. */
    public StartException(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * A listener that can't be bound.
     *
     * @param what is listening, such as {@code Kafka}
     * @param remedy what to pass for another port, such as {@code --port}
     */
    public static StartException notBound(String what, String host, int port, String remedy, Throwable cause) {
        boolean taken = String.valueOf(cause.getMessage()).contains("in use");
        String reason = taken
                ? "port " + port + " is in use by another process (" + what + " listener on " + host + ")"
                : what + " listener: can't listen on " + host + ":" + port + " (" + cause.getMessage() + ")";
        return new StartException(reason + "; choose another with " + remedy, cause);
    }
}
