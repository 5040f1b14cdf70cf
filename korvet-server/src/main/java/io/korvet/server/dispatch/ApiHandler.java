package io.korvet.server.dispatch;

import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of one API key.
 *
 * <p>{@link #handle} is called on the connection's event loop, in the order in which the requests of a connection came in,
 * and must not block. The answer may come later, on any thread; the dispatcher keeps answers in request order. A stage
 * that fails is turned into the API's error answer by {@link ErrorMapper}, so handlers let failures through.
 *
 * @param <Q> the request message
 * @param <R> the response message
 */
public interface ApiHandler<Q extends ApiMessage, R extends ApiMessage> {

    /** The API key served. */
    ApiKeys key();

    /**
     * Handles one request.
     *
     * @param request the decoded message; record bytes in it are valid until the answer's stage completes
     * @return the answer; {@code null} inside for a request that gets none (acks=0)
     */
    CompletionStage<? extends @Nullable R> handle(RequestContext context, Q request);
}
