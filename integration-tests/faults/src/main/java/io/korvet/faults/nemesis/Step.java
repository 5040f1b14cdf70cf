package io.korvet.faults.nemesis;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One or two faults at the same time.
 *
 * @param number counted from 1
 * @param strikes what happens
 * @param length how long it lasts
 */
public record Step(int number, List<Strike> strikes, Duration length) {

    /**
     * A fault, chosen.
     *
     * @param broker the broker it is about; -1 when it is about none
     * @param draw a number from 0 to 99 that decides details
     */
    public record Strike(FaultKind kind, int broker, int draw) {
        @Override
        public String toString() {
            return broker < 0 ? kind.words() : kind.words() + " (broker " + broker + ")";
        }
    }

    /** Copies the list. */
    public Step {
        strikes = List.copyOf(strikes);
    }

    /** The kind, or both kinds. */
    public String kinds() {
        return strikes.stream().map(strike -> strike.kind().words()).collect(Collectors.joining(" + "));
    }

    @Override
    public String toString() {
        return strikes.stream().map(Strike::toString).collect(Collectors.joining(" + ")) + " for "
                + length.toMillis() / 1_000.0 + " s";
    }
}
