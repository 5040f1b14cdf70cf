package io.korvet.server.dispatch;

import java.net.InetSocketAddress;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/**
 * What a handler may know of where a request came from.
 *
 * @param connectionId names the connection in logs
 * @param listener the name of the listener it came through, {@code broker} for the primary one
 * @param clientId as the client says, {@code null} when it says nothing
 * @param key the API key
 * @param version the API version
 * @param correlationId the client's number for the request
 * @param peer the client's address
 */
public record RequestContext(
        String connectionId,
        String listener,
        @Nullable String clientId,
        ApiKeys key,
        short version,
        int correlationId,
        InetSocketAddress peer) {}
