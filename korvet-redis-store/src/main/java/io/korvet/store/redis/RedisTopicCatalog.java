package io.korvet.store.redis;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.korvet.store.StoreException;
import io.korvet.store.StoreException.Kind;
import io.korvet.store.TopicCatalog;
import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Topics as rows of one hash; every change is a compare-and-set of a row that also raises the version. */
final class RedisTopicCatalog implements TopicCatalog {

    private static final String NONE = "";

    private final KeySchema keys;
    private final RedisRoute route;

    RedisTopicCatalog(KeySchema keys, RedisRoute route) {
        this.keys = keys;
        this.route = route;
    }

    @Override
    public CompletionStage<Long> version() {
        return route.send(RedisCall.text(
                        "version of the topics",
                        Effect.READS,
                        CommandType.GET,
                        RedisCall.arguments().addKey(keys.topicsVersion())))
                .thenApply(version -> Rows.number(version, 0));
    }

    @Override
    public CompletionStage<Snapshot> snapshot() {
        return route.send(RedisCall.list(
                        "topics",
                        Effect.READS,
                        CommandType.EVALSHA,
                        RedisCall.arguments(
                                Script.LIST_TOPICS, List.of(keys.topics(), keys.topicsVersion()), List.of())))
                .thenApply(answer ->
                        new Snapshot(Rows.number((String) answer.get(0), 0), topics((List<?>) answer.get(1))));
    }

    @Override
    public CompletionStage<Boolean> add(Topic topic) {
        return change("add topic " + topic.name(), topic.name(), NONE, row(topic), NONE);
    }

    @Override
    public CompletionStage<Boolean> replace(Topic expected, Topic replacement) {
        if (!expected.name().equals(replacement.name())) {
            throw new IllegalArgumentException(
                    "topic '" + expected.name() + "' can't take the name '" + replacement.name() + "'");
        }
        return stored(expected.name())
                .thenCompose(row -> row == null || !topic(row).equals(expected)
                        ? CompletableFuture.completedStage(false)
                        : change("replace topic " + expected.name(), expected.name(), row, row(replacement), NONE));
    }

    @Override
    public CompletionStage<@Nullable Topic> remove(String name, String id) {
        return stored(name).thenCompose(row -> {
            if (row == null || !topic(row).id().equals(id)) {
                return CompletableFuture.completedStage(null);
            }
            // A change of the same topic in between makes the row another one: look again.
            return change("remove topic " + name, name, row, NONE, id)
                    .thenCompose(done -> done ? CompletableFuture.completedStage(topic(row)) : remove(name, id));
        });
    }

    @Override
    public CompletionStage<List<Topic>> removed() {
        return route.send(RedisCall.list(
                        "removed topics",
                        Effect.READS,
                        CommandType.HVALS,
                        RedisCall.arguments().addKey(keys.removedTopics())))
                .thenApply(flat -> topics(flat));
    }

    @Override
    public CompletionStage<Void> forget(Topic removed) {
        return route.send(RedisCall.number(
                        "forget topic " + removed.name(),
                        Effect.CHANGES,
                        CommandType.HDEL,
                        RedisCall.arguments().addKey(keys.removedTopics()).add(removed.id())))
                .thenAccept(done -> {});
    }

    private CompletionStage<@Nullable String> stored(String name) {
        return route.send(RedisCall.text(
                "topic " + name,
                Effect.READS,
                CommandType.HGET,
                RedisCall.arguments().addKey(keys.topics()).add(name)));
    }

    private CompletionStage<Boolean> change(String call, String name, String expected, String row, String removedId) {
        return route.send(RedisCall.number(
                        call,
                        Effect.CHANGES,
                        CommandType.EVALSHA,
                        RedisCall.arguments(
                                Script.SET_TOPIC,
                                List.of(keys.topics(), keys.removedTopics(), keys.topicsVersion()),
                                List.of(name, expected, row, removedId))))
                .thenApply(done -> done == 1);
    }

    private static String row(Topic topic) {
        ObjectNode row = Rows.object();
        row.put("name", topic.name());
        row.put("id", topic.id());
        row.put("partitions", topic.partitions());
        ObjectNode config = row.putObject("config");
        new TreeMap<>(topic.config()).forEach(config::put);
        row.put("created", Long.toString(topic.createdMilliseconds()));
        return row.toString();
    }

    private static List<Topic> topics(List<?> rows) {
        List<Topic> topics = new ArrayList<>(rows.size());
        for (Object row : rows) {
            topics.add(topic((String) row));
        }
        return topics;
    }

    private static Topic topic(String json) {
        JsonNode row = Rows.parse(json, "row of a topic");
        String name = Rows.text(row, "name");
        String id = Rows.text(row, "id");
        if (name == null || id == null || row.path("partitions").asInt() < 1) {
            throw new StoreException(Kind.CORRUPT, "row of a topic: " + json);
        }
        Map<String, String> config = new HashMap<>();
        row.path("config")
                .properties()
                .forEach(setting ->
                        config.put(setting.getKey(), setting.getValue().asText()));
        return new Topic(
                name,
                id,
                row.path("partitions").asInt(),
                config,
                row.path("created").asLong());
    }
}
