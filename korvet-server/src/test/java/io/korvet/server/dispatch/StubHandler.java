package io.korvet.server.dispatch;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.jspecify.annotations.Nullable;

/** Answers with a stage that the test completes. */
record StubHandler(ApiKeys key, CompletableFuture<@Nullable ApiMessage> stage)
        implements ApiHandler<ApiMessage, ApiMessage> {

    @Override
    public CompletionStage<? extends @Nullable ApiMessage> handle(RequestContext context, ApiMessage request) {
        return stage;
    }
}
