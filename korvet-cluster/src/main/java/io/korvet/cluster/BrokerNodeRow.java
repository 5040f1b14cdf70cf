package io.korvet.cluster;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A broker as the JSON text of its row in the registry (docs/redis-keys.md); fields it doesn't know are passed over.
 *
 * @param host the primary endpoint's host
 * @param port the primary endpoint's port
 * @param listeners the other listeners' endpoints, {@code null} as none
 * @param rack {@code null} for not known
 * @param heartbeat milliseconds
 */
record BrokerNodeRow(
        String host,
        int port,
        @Nullable Map<String, Endpoint> listeners,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String rack,
        long heartbeat) {

    private static final ObjectMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    static String write(BrokerNode node) {
        Endpoint primary = node.primary();
        BrokerNodeRow row = new BrokerNodeRow(
                primary.host(), primary.port(), node.listeners(), node.rack(), node.heartbeatMilliseconds());
        try {
            return JSON.writeValueAsString(row);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a registry row is made of plain values", e);
        }
    }

    /** The broker of a row, or {@code null} when the row can't be understood. */
    static @Nullable BrokerNode read(String member, String text) {
        try {
            BrokerNodeRow row = JSON.readValue(text, BrokerNodeRow.class);
            Map<String, Endpoint> listeners = row.listeners() == null ? Map.of() : row.listeners();
            return new BrokerNode(
                    Integer.parseInt(member),
                    new Endpoint(row.host(), row.port()),
                    listeners,
                    row.rack(),
                    row.heartbeat());
        } catch (JsonProcessingException | RuntimeException e) {
            return null;
        }
    }
}
