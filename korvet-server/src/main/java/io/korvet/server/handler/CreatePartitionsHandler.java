package io.korvet.server.handler;

import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.topics.Topics;
import io.korvet.store.TopicCatalog.Topic;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.errors.InvalidReplicaAssignmentException;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsAssignment;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreatePartitionsResponseData.CreatePartitionsTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** CreatePartitions: raises the number of partitions; assignments are checked for consistency only. */
public final class CreatePartitionsHandler
        implements ApiHandler<CreatePartitionsRequestData, CreatePartitionsResponseData> {

    private final Topics topics;

    /** Grows topics. */
    public CreatePartitionsHandler(Topics topics) {
        this.topics = topics;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.CREATE_PARTITIONS;
    }

    @Override
    public CompletionStage<CreatePartitionsResponseData> handle(
            RequestContext context, CreatePartitionsRequestData request) {
        Topics.Mode mode = request.validateOnly() ? Topics.Mode.VALIDATE_ONLY : Topics.Mode.APPLY;
        Set<String> once = new HashSet<>();
        Set<String> repeated = new HashSet<>();
        request.topics().forEach(topic -> {
            if (!once.add(topic.name())) {
                repeated.add(topic.name());
            }
        });
        List<CompletionStage<CreatePartitionsTopicResult>> results = new ArrayList<>();
        repeated.forEach(name -> results.add(
                CompletableFuture.completedFuture(result(name, Errors.INVALID_REQUEST, "Duplicate topic name."))));
        for (CreatePartitionsTopic topic : request.topics()) {
            if (!repeated.contains(topic.name())) {
                results.add(grow(topic, mode));
            }
        }
        return Stages.all(results).thenApply(all -> new CreatePartitionsResponseData().setResults(all));
    }

    private CompletionStage<CreatePartitionsTopicResult> grow(CreatePartitionsTopic asked, Topics.Mode mode) {
        try {
            checkAssignments(asked);
        } catch (InvalidReplicaAssignmentException refusal) {
            return CompletableFuture.completedFuture(
                    result(asked.name(), Errors.INVALID_REPLICA_ASSIGNMENT, refusal.getMessage()));
        }
        return topics.addPartitions(asked.name(), asked.count(), mode)
                .thenApply(outcome -> result(asked.name(), outcome.error(), outcome.message()));
    }

    private void checkAssignments(CreatePartitionsTopic asked) {
        List<CreatePartitionsAssignment> assignments = asked.assignments();
        Topic topic = topics.byName(asked.name());
        if (assignments == null || assignments.isEmpty() || topic == null || asked.count() <= topic.partitions()) {
            return;
        }
        int additional = asked.count() - topic.partitions();
        if (assignments.size() != additional) {
            throw ManualAssignment.refusal("Attempted to add " + additional + " additional partition(s), but "
                    + assignments.size() + " assignment(s) were specified.");
        }
        for (int index = 0; index < assignments.size(); index++) {
            ManualAssignment.check(
                    topic.partitions() + index, assignments.get(index).brokerIds());
        }
    }

    private static CreatePartitionsTopicResult result(String name, Errors error, @Nullable String message) {
        return new CreatePartitionsTopicResult()
                .setName(name)
                .setErrorCode(error.code())
                .setErrorMessage(message);
    }
}
