package io.korvet.benchmarks.load;

/** A measurement that could not be completed; the run goes on without it and fails at its end. */
public final class BenchmarkException extends Exception {

    private static final long serialVersionUID = 1L;

    /** With what went wrong. */
    public BenchmarkException(String message) {
        super(message);
    }
}
