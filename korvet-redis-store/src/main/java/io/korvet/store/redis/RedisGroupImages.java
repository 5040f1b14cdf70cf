package io.korvet.store.redis;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.korvet.store.GroupImages;
import io.korvet.store.StoreException;
import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Groups with their members, one hash each (docs/redis-keys.md), and a set with their names.
 */
final class RedisGroupImages implements GroupImages {

    private static final Logger LOG = LoggerFactory.getLogger(RedisGroupImages.class);
    private static final String MEMBER = "member:";
    private static final String STATE = "state";

    private final KeySchema keys;
    private final RedisRoute route;
    private final ListedKeys listed;

    RedisGroupImages(KeySchema keys, RedisRoute route) {
        this.keys = keys;
        this.route = route;
        this.listed = new ListedKeys(route, keys.groupsWithMembers(), "members", STATE);
    }

    @Override
    public CompletionStage<Claim> claim(String group) {
        return route.send(RedisCall.list(
                        "claim of group " + group,
                        Effect.CHANGES,
                        CommandType.EVALSHA,
                        RedisCall.arguments(
                                Script.CLAIM_GROUP, List.of(keys.group(group), keys.commits(group)), List.of())))
                .thenApply(answer -> new Claim(
                        Long.parseLong((String) answer.get(0)),
                        (Long) answer.get(1) == 1,
                        image(group, Rows.map(answer.get(2)))));
    }

    @Override
    public CompletionStage<Boolean> save(String group, long epoch, Image image) {
        return listed.listedFirst(
                        group,
                        RedisCall.number(
                                "save of group " + group,
                                Effect.CHANGES,
                                CommandType.EVALSHA,
                                RedisCall.arguments(
                                        Script.SAVE_GROUP, List.of(keys.group(group)), fields(epoch, image))))
                .thenApply(saved -> saved > 0);
    }

    @Override
    public CompletionStage<Boolean> delete(String group, long epoch) {
        return route.send(RedisCall.number(
                        "delete members of " + group,
                        Effect.CHANGES,
                        CommandType.EVALSHA,
                        RedisCall.arguments(
                                Script.DELETE_GROUP,
                                List.of(keys.group(group), keys.commits(group)),
                                List.of(Long.toString(epoch)))))
                .thenCompose(deleted -> listed.unlist(group, keys.group(group)).thenApply(done -> deleted > 0));
    }

    @Override
    public CompletionStage<Long> epoch(String group) {
        return route.send(RedisCall.text(
                        "epoch of group " + group,
                        Effect.READS,
                        CommandType.HGET,
                        RedisCall.arguments().addKey(keys.group(group)).add("epoch")))
                .thenApply(epoch -> Rows.number(epoch, 0));
    }

    @Override
    public CompletionStage<List<String>> groups() {
        return listed.names();
    }

    private static List<String> fields(long epoch, Image image) {
        Map<String, String> fields = new TreeMap<>();
        fields.put(STATE, image.state().name());
        fields.put("generation", Integer.toString(image.generation()));
        fields.put("saved", Long.toString(image.savedMilliseconds()));
        put(fields, "protocolType", image.protocolType());
        put(fields, "protocol", image.protocol());
        put(fields, "leader", image.leader());
        for (int i = 0; i < image.members().size(); i++) {
            Member member = image.members().get(i);
            fields.put(MEMBER + member.id(), row(i, member));
        }
        List<String> values = new ArrayList<>(1 + 2 * fields.size());
        values.add(Long.toString(epoch));
        fields.forEach((field, value) -> {
            values.add(field);
            values.add(value);
        });
        return values;
    }

    private static void put(Map<String, String> fields, String field, @Nullable String value) {
        if (value != null) {
            fields.put(field, value);
        }
    }

    private static String row(int place, Member member) {
        ObjectNode row = Rows.object();
        row.put("place", place);
        if (member.instanceId() != null) {
            row.put("instanceId", member.instanceId());
        }
        row.put("clientId", member.clientId());
        row.put("clientHost", member.clientHost());
        row.put("sessionTimeout", member.sessionTimeout());
        row.put("rebalanceTimeout", member.rebalanceTimeout());
        for (Protocol protocol : member.protocols()) {
            row.withArray("protocols")
                    .addObject()
                    .put("name", protocol.name())
                    .put("metadata", Base64.getEncoder().encodeToString(protocol.metadata()));
        }
        row.put("assignment", Base64.getEncoder().encodeToString(member.assignment()));
        return row.toString();
    }

    /** What can't be read counts as not there: the members join again. */
    private static @Nullable Image image(String group, Map<String, String> fields) {
        if (!fields.containsKey(STATE)) {
            // Nothing, or a claim alone.
            return null;
        }
        try {
            Map<Integer, Member> members = new TreeMap<>();
            fields.forEach((field, json) -> {
                if (field.startsWith(MEMBER)) {
                    JsonNode row = Rows.parse(json, "member of a group");
                    members.put(row.path("place").asInt(), member(field.substring(MEMBER.length()), row));
                }
            });
            return new Image(
                    State.valueOf(fields.getOrDefault(STATE, "")),
                    Integer.parseInt(fields.getOrDefault("generation", "")),
                    fields.get("protocolType"),
                    fields.get("protocol"),
                    fields.get("leader"),
                    Rows.number(fields.get("saved"), 0),
                    List.copyOf(members.values()));
        } catch (StoreException | IllegalArgumentException unreadable) {
            LOG.atWarn()
                    .addKeyValue("group", group)
                    .setCause(unreadable)
                    .log("the stored members of a group can't be read; they will have to join again");
            return null;
        }
    }

    private static Member member(String id, JsonNode row) {
        List<Protocol> protocols = new ArrayList<>();
        row.path("protocols")
                .forEach(protocol ->
                        protocols.add(new Protocol(protocol.path("name").asText(), binary(protocol.path("metadata")))));
        return new Member(
                id,
                Rows.text(row, "instanceId"),
                row.path("clientId").asText(""),
                row.path("clientHost").asText(""),
                row.path("sessionTimeout").asInt(),
                row.path("rebalanceTimeout").asInt(),
                protocols,
                binary(row.path("assignment")));
    }

    private static byte[] binary(JsonNode text) {
        return Base64.getDecoder().decode(text.asText(""));
    }
}
