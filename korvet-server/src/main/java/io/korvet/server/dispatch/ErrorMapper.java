package io.korvet.server.dispatch;

import io.korvet.store.StoreException;
import java.util.concurrent.CompletionException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.protocol.Errors;

/**
 * The one translation from failures to Kafka's error codes (docs/errors.md).
 *
 * <p>A store failure is always a retriable code: clients drop data on UNKNOWN_SERVER_ERROR.
 */
public final class ErrorMapper {

    /** Which kind of API asks; the same failure has different retriable codes in each. */
    public enum Family {
        /** Produce, Fetch, ListOffsets, DeleteRecords. */
        DATA,
        /** Groups and offsets: clients look the coordinator up again. */
        COORDINATOR,
        /** Topics, configs, metadata. */
        ADMIN
    }

    private ErrorMapper() {}

    /** The error code for a failure. */
    public static Errors errorOf(Family family, Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof StoreException) {
            return switch (family) {
                case DATA -> Errors.KAFKA_STORAGE_ERROR;
                case COORDINATOR -> Errors.COORDINATOR_NOT_AVAILABLE;
                case ADMIN -> Errors.REQUEST_TIMED_OUT;
            };
        }
        if (cause instanceof ApiException) {
            return Errors.forException(cause);
        }
        return Errors.UNKNOWN_SERVER_ERROR;
    }
}
