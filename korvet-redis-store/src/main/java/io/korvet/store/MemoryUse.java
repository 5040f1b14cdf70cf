package io.korvet.store;

/**
 * How much memory the store's server uses of what it may.
 *
 * @param usedBytes what its data takes
 * @param limitBytes what it may take: its configured limit, else the machine's memory; 0 when that isn't known
 */
public record MemoryUse(long usedBytes, long limitBytes) {

    /** Used to allowed, {@code NaN} when the limit isn't known. */
    public double ratio() {
        return limitBytes > 0 ? (double) usedBytes / limitBytes : Double.NaN;
    }
}
