package io.korvet.server.dispatch;

import io.korvet.protocol.ApiCatalog;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** The handler of every API key in the catalog: no row without a handler, no handler without a row. Immutable. */
public final class HandlerTable {

    private final Map<ApiKeys, ApiHandler<?, ?>> handlers = new EnumMap<>(ApiKeys.class);

    /**
     * A table for a catalog.
     *
     * @throws IllegalStateException naming the API keys that have no handler, two, or no row
     */
    public HandlerTable(ApiCatalog catalog, Collection<? extends ApiHandler<?, ?>> handlers) {
        Set<ApiKeys> twice = new TreeSet<>();
        for (ApiHandler<?, ?> handler : handlers) {
            if (this.handlers.put(handler.key(), handler) != null) {
                twice.add(handler.key());
            }
        }
        Set<ApiKeys> missing = new TreeSet<>();
        catalog.apis().forEach(api -> missing.add(api.key()));
        Set<ApiKeys> unlisted = new TreeSet<>(this.handlers.keySet());
        unlisted.removeAll(missing);
        missing.removeAll(this.handlers.keySet());
        if (!missing.isEmpty() || !unlisted.isEmpty() || !twice.isEmpty()) {
            throw new IllegalStateException("Handlers and the catalog of served APIs differ: without handler " + missing
                    + ", not in the catalog " + unlisted + ", with two handlers " + twice);
        }
    }

    /** The handler of an API key in the catalog. */
    @SuppressWarnings("unchecked")
    ApiHandler<ApiMessage, ApiMessage> handler(ApiKeys key) {
        ApiHandler<?, ?> handler = handlers.get(key);
        if (handler == null) {
            throw new IllegalArgumentException(key + " is not in the catalog");
        }
        // The codec makes the message that belongs to the key, and so does the handler.
        return (ApiHandler<ApiMessage, ApiMessage>) handler;
    }
}
