package io.korvet.server.log;

/**
 * Bounds of the log's memory.
 *
 * @param maxDecompressedBytes how far one batch may unfold
 * @param tailCacheBytes recent batches kept for consumers at the tail, over all partitions
 * @param maxReadBytes one partition's share of a fetch that is read from the store
 */
public record Limits(int maxDecompressedBytes, long tailCacheBytes, int maxReadBytes) {

    /** The defaults: 64 MiB unfolded, 64 MiB of tail, 1 MiB a read. */
    public static final Limits DEFAULT = new Limits(64 << 20, 64L << 20, 1 << 20);
}
