package io.korvet.tiering.iceberg;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What was used last, up to a sum of weights; something heavier than that is not kept at all. Thread-safe.
 *
 * @param <K> the keys
 * @param <V> the values
 */
final class WeightedCache<K, V> {

    private record Weighted<V>(V value, long weight) {}

    private final long most;
    private final Consumer<V> gone;
    private final LinkedHashMap<K, Weighted<V>> entries = new LinkedHashMap<>(16, 0.75f, true);
    private long weight;

    WeightedCache(long most) {
        this(most, value -> {});
    }

    /** An empty one, which tells of each value that it keeps no longer, or not at all. */
    WeightedCache(long most, Consumer<V> gone) {
        this.most = most;
        this.gone = gone;
    }

    /** A value, which is the one used last from now on. */
    synchronized @Nullable V get(K key) {
        Weighted<V> found = entries.get(key);
        return found == null ? null : found.value();
    }

    /** Keeps a value; others go to make room. */
    synchronized void put(K key, V value, long itsWeight) {
        remove(key);
        if (itsWeight > most) {
            gone.accept(value);
            return;
        }
        entries.put(key, new Weighted<>(value, itsWeight));
        weight += itsWeight;
        Iterator<Map.Entry<K, Weighted<V>>> oldest = entries.entrySet().iterator();
        while (weight > most && oldest.hasNext()) {
            Weighted<V> last = oldest.next().getValue();
            weight -= last.weight();
            oldest.remove();
            gone.accept(last.value());
        }
    }

    /** Forgets a value. */
    synchronized void remove(K key) {
        Weighted<V> removed = entries.remove(key);
        if (removed != null) {
            weight -= removed.weight();
            gone.accept(removed.value());
        }
    }

    /** The sum of weights. */
    synchronized long weight() {
        return weight;
    }
}
