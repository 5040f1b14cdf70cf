package io.korvet.server.dispatch;

import io.korvet.protocol.ProtocolException;
import io.korvet.protocol.RequestCodec;
import io.korvet.protocol.RequestFrame;
import io.korvet.protocol.ResponseCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Brings requests to their handlers and the answers, or what failures become, back to the connection.
 *
 * <p>Every request gets its answer: a handler that fails is answered in the form of its API with the code of
 * {@link ErrorMapper}, and logged here, once, when the failure is none that is expected. Thread-safe.
 */
public final class Dispatcher {

    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    private final RequestCodec codec;
    private final HandlerTable handlers;
    private final RequestObserver observer;
    private final ByteBufAllocator allocator;
    private final LongSupplier nanoseconds;

    /**
     * A dispatcher.
     *
     * @param allocator for the encoded answers
     * @param nanoseconds a clock that only goes forward, {@code System::nanoTime}
     */
    public Dispatcher(
            RequestCodec codec,
            HandlerTable handlers,
            RequestObserver observer,
            ByteBufAllocator allocator,
            LongSupplier nanoseconds) {
        this.codec = codec;
        this.handlers = handlers;
        this.observer = observer;
        this.allocator = allocator;
        this.nanoseconds = nanoseconds;
    }

    /**
     * Handles one request; to be called in the order of the connection's requests.
     *
     * <p>The frame is released once it is decoded, that of Produce once the handler's stage completes: its records are views of
     * the frame. Bytes that can't be decoded close the connection, as Kafka does it.
     */
    public void dispatch(Exchange exchange) {
        int requestBytes = exchange.frame().readableBytes();
        RequestFrame request;
        try {
            request = codec.decode(exchange.frame());
        } catch (ProtocolException e) {
            exchange.releaseFrame();
            refuse(exchange, requestBytes, e);
            return;
        }
        if (request.key() != ApiKeys.PRODUCE) {
            exchange.releaseFrame();
        }
        observer.requestStarted(request.key(), requestBytes);
        long start = nanoseconds.getAsLong();
        handle(exchange, request).whenComplete((body, failure) -> {
            try {
                finish(exchange, request, start, body, failure);
            } catch (RuntimeException | Error e) {
                log(LOG.atError(), exchange, request).setCause(e).log("A request could not be answered");
                exchange.close();
            } finally {
                exchange.releaseFrame();
            }
        });
    }

    private CompletionStage<? extends @Nullable ApiMessage> handle(Exchange exchange, RequestFrame request) {
        Connection connection = exchange.connection();
        RequestContext context = new RequestContext(
                connection.id(),
                connection.listener(),
                request.header().clientId(),
                request.key(),
                request.version(),
                request.header().correlationId(),
                connection.peer());
        try {
            return handlers.handler(request.key()).handle(context, request.message());
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedStage(e);
        }
    }

    private void refuse(Exchange exchange, int requestBytes, ProtocolException refusal) {
        observer.requestRefused(refusal.error());
        LOG.atWarn()
                .addKeyValue("connectionId", exchange.connection().id())
                .addKeyValue("peer", exchange.connection().peer())
                .addKeyValue("bytes", requestBytes)
                .addKeyValue("errorCode", refusal.error())
                .log("Connection closed: {}", refusal.getMessage());
        exchange.close();
    }

    private void finish(
            Exchange exchange,
            RequestFrame request,
            long start,
            @Nullable ApiMessage body,
            @Nullable Throwable failure) {
        Throwable problem = failure;
        ByteBuf response = null;
        if (problem == null) {
            try {
                response = encode(request, body);
            } catch (RuntimeException | Error e) {
                problem = new IllegalStateException("The answer can't be encoded", e);
            }
        }
        Errors error = Errors.NONE;
        if (problem != null) {
            error = ErrorMapper.errorOf(request.key(), problem);
            logFailure(exchange, request, error, problem);
            if (request.expectsResponse()) {
                response = encode(request, request.errorResponse(ErrorMapper.exceptionOf(error, problem)));
            }
        }
        int responseBytes = response == null ? 0 : response.readableBytes();
        if (response != null) {
            exchange.answer(response);
        } else if (problem == null) {
            exchange.answerNothing();
        } else {
            exchange.close();
        }
        observer.requestFinished(request.key(), error, nanoseconds.getAsLong() - start, responseBytes);
    }

    private @Nullable ByteBuf encode(RequestFrame request, @Nullable ApiMessage body) {
        if (!request.expectsResponse()) {
            if (body != null) {
                ResponseCodec.release(body);
            }
            return null;
        }
        if (body == null) {
            throw new IllegalStateException("The handler of " + request.key() + " gave no answer");
        }
        return ResponseCodec.encode(
                allocator, request.key(), request.version(), request.header().correlationId(), body);
    }

    private static void logFailure(Exchange exchange, RequestFrame request, Errors error, Throwable failure) {
        LoggingEventBuilder event = error == Errors.UNKNOWN_SERVER_ERROR ? LOG.atError() : LOG.atDebug();
        log(event, exchange, request)
                .addKeyValue("errorCode", error)
                .setCause(failure)
                .log("A request failed");
    }

    private static LoggingEventBuilder log(LoggingEventBuilder event, Exchange exchange, RequestFrame request) {
        return event.addKeyValue("connectionId", exchange.connection().id())
                .addKeyValue("clientId", request.header().clientId())
                .addKeyValue("apiKey", request.key())
                .addKeyValue("correlationId", request.header().correlationId());
    }
}
