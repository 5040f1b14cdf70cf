package io.korvet.cluster;

/** What a broker is taken for dead by. */
public enum Evidence {
    /** Its connection was closed, which its kernel does when the process dies, and nothing came after. */
    CONNECTION,
    /** It gave no sign for a while although its connection is there: paused, or its machine is gone. */
    SILENCE,
    /** Its row in the registry was not rewritten for long. */
    AGE
}
