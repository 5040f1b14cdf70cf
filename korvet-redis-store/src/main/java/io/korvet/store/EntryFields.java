package io.korvet.store;

/**
 * The fields of an entry (docs/redis-keys.md), in the order they are written; a field that is absent is null.
 *
 * <p>The store gives them no meaning; the numbers are what {@link EntrySink} and {@link AppendBatch} speak of.
 */
public final class EntryFields {

    /** The payload. */
    public static final int VALUE = 0;
    /** The key. */
    public static final int KEY = 1;
    /** One self-delimiting blob of headers. */
    public static final int HEADERS = 2;
    /** Decimal milliseconds. */
    public static final int TIMESTAMP = 3;
    /** Transactional marks. */
    public static final int TXN = 4;
    /** How many there are. */
    public static final int COUNT = 5;

    private static final String[] NAMES = {"value", "key", "headers", "timestamp", "txn"};

    private EntryFields() {}

    /** The name under which a field is stored. */
    public static String name(int field) {
        return NAMES[field];
    }
}
