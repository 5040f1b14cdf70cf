package io.korvet.server.dispatch;

import io.korvet.protocol.ProtocolException;
import io.korvet.store.StoreException;
import io.korvet.tiering.ColdTierException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.protocol.ApiKeys;
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
        /** Producer ids: clients of no transaction have no coordinator to look up, and ask again. */
        PRODUCER_IDS,
        /** Topics, configs, metadata. */
        ADMIN
    }

    private ErrorMapper() {}

    /** The family of an API. */
    public static Family familyOf(ApiKeys key) {
        return switch (key) {
            case PRODUCE, FETCH, LIST_OFFSETS, DELETE_RECORDS, OFFSET_FOR_LEADER_EPOCH -> Family.DATA;
            case FIND_COORDINATOR,
                    JOIN_GROUP,
                    SYNC_GROUP,
                    HEARTBEAT,
                    LEAVE_GROUP,
                    OFFSET_COMMIT,
                    OFFSET_FETCH,
                    OFFSET_DELETE,
                    LIST_GROUPS,
                    DESCRIBE_GROUPS,
                    DELETE_GROUPS -> Family.COORDINATOR;
            case INIT_PRODUCER_ID -> Family.PRODUCER_IDS;
            default -> Family.ADMIN;
        };
    }

    /** The error code for a failure of an API. */
    public static Errors errorOf(ApiKeys key, Throwable failure) {
        return errorOf(familyOf(key), failure);
    }

    /** The error code for a failure. */
    public static Errors errorOf(Family family, Throwable failure) {
        Throwable cause = cause(failure);
        // Memory that is short now may be there at the next attempt, as with a store that is away.
        if (cause instanceof StoreException
                || cause instanceof ColdTierException
                || cause instanceof OutOfMemoryError) {
            return switch (family) {
                case DATA -> Errors.KAFKA_STORAGE_ERROR;
                case COORDINATOR -> Errors.COORDINATOR_NOT_AVAILABLE;
                case PRODUCER_IDS -> Errors.COORDINATOR_LOAD_IN_PROGRESS;
                case ADMIN -> Errors.REQUEST_TIMED_OUT;
            };
        }
        if (cause instanceof ProtocolException violation) {
            return violation.error();
        }
        if (cause instanceof TimeoutException) {
            return Errors.REQUEST_TIMED_OUT;
        }
        if (cause instanceof ApiException) {
            return Errors.forException(cause);
        }
        return Errors.UNKNOWN_SERVER_ERROR;
    }

    /** What a client may see of a failure: Kafka's own exceptions with their message, else the code's. */
    static ApiException exceptionOf(Errors error, Throwable failure) {
        return cause(failure) instanceof ApiException known && Errors.forException(known) == error
                ? known
                : error.exception();
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
