package io.korvet.faults.machine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for conditions, and for time to pass. */
public final class Waiting {
    private Waiting() {}

    /** Looks until it holds or the time is over; answers whether it holds. */
    public static boolean until(Duration limit, BooleanSupplier condition) {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            pause(Duration.ofMillis(20));
        }
        return true;
    }

    /** Lets time pass. */
    public static void pause(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
