package io.korvet.cluster;

/**
 * The rendezvous (highest random weight) hash: each node gets a score for a key, and the highest score owns it.
 *
 * <p>A node that leaves loses what it owned and nothing else moves; one that joins wins what it now scores highest for.
 * The arithmetic is written out here and its results are pinned by a test, since brokers of different versions must
 * agree on them (ADR 0005).
 */
public final class RendezvousHash {

    private static final long OFFSET_BASIS = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    private RendezvousHash() {}

    /** The hash of a partition of a topic. */
    public static long partition(String topic, int partition) {
        return mix(text("partition", topic) + partition * GOLDEN);
    }

    /** The hash of a group's name. */
    public static long group(String group) {
        return text("group", group);
    }

    /**
     * Which of some nodes owns a key.
     *
     * @param key a hash made by this class
     * @param ids distinct, at least one; on the same score the one that comes first wins
     * @return an index into the ids
     */
    public static int owner(long key, int[] ids) {
        int owner = 0;
        long highest = score(key, ids[0]);
        for (int index = 1; index < ids.length; index++) {
            long score = score(key, ids[index]);
            if (Long.compareUnsigned(score, highest) > 0) {
                owner = index;
                highest = score;
            }
        }
        return owner;
    }

    private static long score(long key, int id) {
        return mix(key ^ mix((id + 1) * GOLDEN));
    }

    /** FNV-1a over the UTF-16 units of both texts, finished by {@link #mix}. */
    private static long text(String kind, String name) {
        return mix(fold(fold(OFFSET_BASIS, kind) * PRIME, name));
    }

    private static long fold(long start, String text) {
        long hash = start;
        for (int index = 0; index < text.length(); index++) {
            hash = (hash ^ text.charAt(index)) * PRIME;
        }
        return hash;
    }

    /** MurmurHash3's 64-bit finalizer: each bit of the input sways each bit of the result. */
    private static long mix(long value) {
        long mixed = (value ^ value >>> 33) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ mixed >>> 33;
    }
}
