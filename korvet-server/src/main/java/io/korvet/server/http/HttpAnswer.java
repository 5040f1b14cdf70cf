package io.korvet.server.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.util.Map;

/**
 * An answer to be sent.
 *
 * @param status the HTTP status
 * @param contentType the body's type
 * @param body the body
 * @param headers more headers
 */
record HttpAnswer(int status, String contentType, String body, Map<String, String> headers) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A JSON body. */
    static HttpAnswer json(int status, Map<String, ?> body) {
        try {
            return new HttpAnswer(status, "application/json", JSON.writeValueAsString(body), Map.of());
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A refusal, its reason in the body. */
    static HttpAnswer refusal(int status, String reason) {
        return json(status, Map.of("status", status, "error", reason));
    }

    /** The same with one more header. */
    HttpAnswer with(String header, String value) {
        return new HttpAnswer(status, contentType, body, Map.of(header, value));
    }
}
