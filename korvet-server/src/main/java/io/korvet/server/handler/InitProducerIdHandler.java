package io.korvet.server.handler;

import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.store.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * InitProducerId for idempotent producers: each call gets a fresh id at epoch 0, as Kafka answers them; they raise the epoch
 * by themselves (KIP-360). Transactions are not served: a transactional id is refused with UNSUPPORTED_VERSION, a fatal
 * error that clients report as a feature the broker doesn't have.
 */
public final class InitProducerIdHandler implements ApiHandler<InitProducerIdRequestData, InitProducerIdResponseData> {

    private static final long NO_PRODUCER_ID = -1;
    private static final short NO_PRODUCER_EPOCH = -1;

    private final ProducerIds ids;

    /** Hands ids out. */
    public InitProducerIdHandler(ProducerIds ids) {
        this.ids = ids;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.INIT_PRODUCER_ID;
    }

    @Override
    public CompletionStage<InitProducerIdResponseData> handle(
            RequestContext context, InitProducerIdRequestData request) {
        if (request.transactionalId() != null) {
            Errors error = request.transactionalId().isEmpty() ? Errors.INVALID_REQUEST : Errors.UNSUPPORTED_VERSION;
            return CompletableFuture.completedFuture(refused(error));
        }
        boolean hasId = request.producerId() != NO_PRODUCER_ID;
        boolean hasEpoch = request.producerEpoch() != NO_PRODUCER_EPOCH;
        if (hasId != hasEpoch) {
            return CompletableFuture.completedFuture(refused(Errors.INVALID_REQUEST));
        }
        return ids.next().handle((id, failure) -> {
            if (failure == null) {
                return new InitProducerIdResponseData().setProducerId(id).setProducerEpoch((short) 0);
            }
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof StoreException) {
                return refused(Errors.COORDINATOR_LOAD_IN_PROGRESS);
            }
            throw new CompletionException(cause);
        });
    }

    private static InitProducerIdResponseData refused(Errors error) {
        return new InitProducerIdResponseData()
                .setErrorCode(error.code())
                .setProducerId(NO_PRODUCER_ID)
                .setProducerEpoch(NO_PRODUCER_EPOCH);
    }
}
