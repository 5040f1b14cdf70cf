package io.korvet.server.handler;

import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.handler.ConfigResources.Result;
import io.korvet.server.topics.TopicConfigs;
import io.korvet.server.topics.TopicSetting;
import io.korvet.server.topics.Topics;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * IncrementalAlterConfigs: SET, DELETE, and for lists APPEND and SUBTRACT. Applied to what is configured when the change is
 * made, so changes by several clients add up.
 */
public final class IncrementalAlterConfigsHandler
        implements ApiHandler<IncrementalAlterConfigsRequestData, IncrementalAlterConfigsResponseData> {

    private final Topics topics;
    private final TopicConfigs configs;

    /** Alters topics. */
    public IncrementalAlterConfigsHandler(Topics topics, TopicConfigs configs) {
        this.topics = topics;
        this.configs = configs;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.INCREMENTAL_ALTER_CONFIGS;
    }

    @Override
    public CompletionStage<IncrementalAlterConfigsResponseData> handle(
            RequestContext context, IncrementalAlterConfigsRequestData request) {
        ConfigResources resources = new ConfigResources();
        request.resources().forEach(resource -> resources.note(resource.resourceType(), resource.resourceName()));
        Topics.Mode mode = request.validateOnly() ? Topics.Mode.VALIDATE_ONLY : Topics.Mode.APPLY;
        List<CompletionStage<AlterConfigsResourceResponse>> results = request.resources().stream()
                .map(resource -> alter(resources, resource, mode).thenApply(result -> shape(resource, result)))
                .toList();
        return Stages.all(results).thenApply(all -> new IncrementalAlterConfigsResponseData().setResponses(all));
    }

    private CompletionStage<Result> alter(ConfigResources resources, AlterConfigsResource resource, Topics.Mode mode) {
        try {
            List<String> names =
                    resource.configs().stream().map(AlterableConfig::name).toList();
            resources.check(resource.resourceType(), resource.resourceName(), names);
            for (AlterableConfig entry : resource.configs()) {
                OpType operation = OpType.forId(entry.configOperation());
                if (operation == null) {
                    throw new InvalidRequestException("Unknown operations type " + entry.configOperation());
                }
                if (operation != OpType.DELETE && entry.value() == null) {
                    throw new InvalidRequestException("Null value not supported for : " + entry.name());
                }
            }
            return topics.changeConfig(resource.resourceName(), before -> apply(resource, before), mode)
                    .thenApply(
                            outcome -> new Result(outcome.error(), Objects.requireNonNullElse(outcome.message(), "")));
        } catch (ApiException refusal) {
            return CompletableFuture.completedFuture(Result.of(refusal));
        }
    }

    private Map<String, String> apply(AlterConfigsResource resource, Map<String, String> before) {
        Map<String, String> after = new HashMap<>(before);
        for (AlterableConfig entry : resource.configs()) {
            OpType operation = OpType.forId(entry.configOperation());
            String name = entry.name();
            String value = Objects.requireNonNullElse(entry.value(), "");
            switch (operation) {
                case SET -> after.put(name, value);
                case DELETE -> after.remove(name);
                case APPEND -> {
                    List<String> list = listOf(name, after, operation);
                    split(value).stream().filter(part -> !list.contains(part)).forEach(list::add);
                    after.put(name, String.join(",", list));
                }
                case SUBTRACT -> {
                    List<String> list = listOf(name, after, operation);
                    list.removeAll(split(value));
                    after.put(name, String.join(",", list));
                }
            }
        }
        return after;
    }

    private List<String> listOf(String name, Map<String, String> config, OpType operation) {
        TopicSetting setting = configs.setting(name);
        if (setting == null) {
            throw new InvalidConfigurationException("Unknown topic config name: " + name);
        }
        if (setting.type() != ConfigDef.Type.LIST) {
            throw new InvalidConfigurationException(
                    "Can't " + operation + " to key " + name + " because its type is not LIST.");
        }
        return new ArrayList<>(split(configs.value(setting, config)));
    }

    private static Collection<String> split(String list) {
        return List.of(list.split(",", -1)).stream()
                .map(String::trim)
                .filter(part -> !part.isEmpty())
                .toList();
    }

    private static AlterConfigsResourceResponse shape(AlterConfigsResource resource, Result result) {
        return new AlterConfigsResourceResponse()
                .setResourceType(resource.resourceType())
                .setResourceName(resource.resourceName())
                .setErrorCode(result.error().code())
                .setErrorMessage(result.message().isEmpty() ? null : result.message());
    }
}
