package io.korvet.server.handler;

import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.topics.TopicNames;
import io.korvet.server.topics.Topics;
import io.korvet.store.TopicCatalog.Topic;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** DeleteTopics, by name or by id; a topic asked for more than once is refused. */
public final class DeleteTopicsHandler implements ApiHandler<DeleteTopicsRequestData, DeleteTopicsResponseData> {

    private final Topics topics;

    /** Deletes topics. */
    public DeleteTopicsHandler(Topics topics) {
        this.topics = topics;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DELETE_TOPICS;
    }

    @Override
    public CompletionStage<DeleteTopicsResponseData> handle(RequestContext context, DeleteTopicsRequestData request) {
        List<DeleteTopicState> asked = new ArrayList<>(request.topics());
        request.topicNames().forEach(name -> asked.add(new DeleteTopicState().setName(name)));
        return topics.refresh().thenCompose(nothing -> deleteAll(asked)).thenApply(results -> {
            DeleteTopicsResponseData response = new DeleteTopicsResponseData();
            response.responses().addAll(results);
            return response;
        });
    }

    private CompletionStage<List<DeletableTopicResult>> deleteAll(List<DeleteTopicState> asked) {
        Map<Object, Integer> times = new HashMap<>();
        for (DeleteTopicState state : asked) {
            times.merge(identity(state), 1, Integer::sum);
        }
        List<CompletionStage<DeletableTopicResult>> results = new ArrayList<>(asked.size());
        for (DeleteTopicState state : asked) {
            results.add(delete(state, times.getOrDefault(identity(state), 1)));
        }
        return Stages.all(results);
    }

    /** What a topic asked for is known by: the topic itself when it is there. */
    private Object identity(DeleteTopicState state) {
        Topic topic = find(state);
        return topic != null ? topic.id() : state.name() != null ? state.name() : state.topicId();
    }

    private @Nullable Topic find(DeleteTopicState state) {
        return state.name() != null ? topics.byName(state.name()) : topics.byId(TopicNames.catalogId(state.topicId()));
    }

    private CompletionStage<DeletableTopicResult> delete(DeleteTopicState state, int times) {
        boolean hasId = !state.topicId().equals(Uuid.ZERO_UUID);
        if (state.name() != null && hasId) {
            return refused(state, Errors.INVALID_REQUEST, "You may not specify both topic name and topic id.");
        }
        if (state.name() == null && !hasId) {
            return refused(state, Errors.INVALID_REQUEST, "Neither topic name nor id were specified.");
        }
        if (times > 1) {
            return refused(state, Errors.INVALID_REQUEST, "The topic is in the request more than once.");
        }
        Topic topic = find(state);
        if (topic == null) {
            Errors error = hasId ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
            return refused(state, error, error.message());
        }
        return topics.delete(topic)
                .thenApply(outcome -> new DeletableTopicResult()
                        .setName(topic.name())
                        .setTopicId(TopicNames.wireId(topic.id()))
                        .setErrorCode(outcome.error().code())
                        .setErrorMessage(outcome.message()));
    }

    private static CompletionStage<DeletableTopicResult> refused(DeleteTopicState state, Errors error, String message) {
        return CompletableFuture.completedFuture(new DeletableTopicResult()
                .setName(state.name())
                .setTopicId(state.topicId())
                .setErrorCode(error.code())
                .setErrorMessage(message));
    }
}
