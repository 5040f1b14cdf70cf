package io.korvet.server.handler;

import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.handler.ConfigResources.Result;
import io.korvet.server.topics.Topics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.ApiKeys;

/** AlterConfigs: replaces all settings of a topic; those that are not named return to their defaults. */
public final class AlterConfigsHandler implements ApiHandler<AlterConfigsRequestData, AlterConfigsResponseData> {

    private final Topics topics;

    /** Alters topics. */
    public AlterConfigsHandler(Topics topics) {
        this.topics = topics;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.ALTER_CONFIGS;
    }

    @Override
    public CompletionStage<AlterConfigsResponseData> handle(RequestContext context, AlterConfigsRequestData request) {
        ConfigResources resources = new ConfigResources();
        request.resources().forEach(resource -> resources.note(resource.resourceType(), resource.resourceName()));
        Topics.Mode mode = request.validateOnly() ? Topics.Mode.VALIDATE_ONLY : Topics.Mode.APPLY;
        List<CompletionStage<AlterConfigsResourceResponse>> results = request.resources().stream()
                .map(resource -> alter(resources, resource, mode).thenApply(result -> shape(resource, result)))
                .toList();
        return Stages.all(results).thenApply(all -> new AlterConfigsResponseData().setResponses(all));
    }

    private CompletionStage<Result> alter(ConfigResources resources, AlterConfigsResource resource, Topics.Mode mode) {
        try {
            List<String> names =
                    resource.configs().stream().map(AlterableConfig::name).toList();
            resources.check(resource.resourceType(), resource.resourceName(), names);
            Map<String, String> config = new HashMap<>();
            for (AlterableConfig entry : resource.configs()) {
                if (entry.value() == null) {
                    throw new InvalidRequestException("Null value not supported for : " + entry.name());
                }
                config.put(entry.name(), entry.value());
            }
            return topics.alterConfig(resource.resourceName(), config, mode)
                    .thenApply(
                            outcome -> new Result(outcome.error(), Objects.requireNonNullElse(outcome.message(), "")));
        } catch (ApiException refusal) {
            return CompletableFuture.completedFuture(Result.of(refusal));
        }
    }

    private static AlterConfigsResourceResponse shape(AlterConfigsResource resource, Result result) {
        return new AlterConfigsResourceResponse()
                .setResourceType(resource.resourceType())
                .setResourceName(resource.resourceName())
                .setErrorCode(result.error().code())
                .setErrorMessage(result.message().isEmpty() ? null : result.message());
    }
}
