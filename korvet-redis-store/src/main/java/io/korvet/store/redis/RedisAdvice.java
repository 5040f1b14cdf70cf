package io.korvet.store.redis;

import io.korvet.store.redis.RedisCall.Effect;
import io.korvet.store.redis.RedisNode.Kind;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Compares the server's settings with those recommended for a log, and sets them where that is wanted. */
public final class RedisAdvice {

    /**
     * One recommended setting.
     *
     * @param name as Redis spells it
     * @param value what is recommended
     * @param reason what happens otherwise, for people
     * @param stricter another value that keeps more, at a price the operator may want to pay; empty for none
     */
    public record Setting(String name, String value, String reason, String stricter) {

        Setting(String name, String value, String reason) {
            this(name, value, reason, "");
        }

        boolean isMetBy(String present) {
            return present.equals(value) || present.equals(stricter);
        }

        boolean isOfStreams() {
            return name.startsWith("stream-");
        }
    }

    /** The settings, each with its reason. */
    public static final List<Setting> RECOMMENDED = List.of(
            new Setting(
                    "maxmemory-policy", "noeviction", "a log must refuse records when memory is full, not lose keys"),
            new Setting("appendonly", "yes", "without it a restart of Redis loses records that were acknowledged"),
            new Setting(
                    "appendfsync",
                    "everysec",
                    "with 'no' a machine that loses power takes with it what it wrote since the operating system synced last",
                    "always"),
            new Setting("stream-node-max-bytes", "32768", "smaller nodes take up to 17 % more memory per record"),
            new Setting("stream-node-max-entries", "500", "smaller nodes take up to 17 % more memory per record"));

    private final RedisConnections metadata;
    private final RedisConnections data;

    RedisAdvice(RedisConnections metadata, RedisConnections data) {
        this.metadata = metadata;
        this.data = data;
    }

    /** One setting of one server. */
    private record Place(Setting setting, RedisRoute server) {}

    private List<Place> places() {
        List<Place> places = new ArrayList<>();
        Set<RedisNode> servers = new LinkedHashSet<>(data.nodes());
        servers.addAll(metadata.nodes());
        for (RedisNode server : servers) {
            boolean hasStreams = data.nodes().contains(server);
            RECOMMENDED.stream()
                    .filter(setting -> hasStreams || !setting.isOfStreams())
                    .forEach(setting -> places.add(new Place(setting, server.lane(Kind.METADATA))));
        }
        return places;
    }

    /** Settings that differ from what is recommended, one sentence each; empty too when Redis doesn't let us look. */
    public CompletionStage<List<String>> warnings() {
        return all(places().stream().map(RedisAdvice::warning).toList())
                .thenApply(warnings -> warnings.stream()
                        .filter(warning -> !warning.isEmpty())
                        .distinct()
                        .toList());
    }

    private static CompletionStage<String> warning(Place place) {
        Setting setting = place.setting();
        return place.server()
                .send(RedisCall.list(
                        "setting " + setting.name(),
                        Effect.READS,
                        CommandType.CONFIG,
                        RedisCall.arguments().add("GET").add(setting.name())))
                .handle((flat, failure) -> {
                    String value = failure != null ? null : Rows.map(flat).get(setting.name());
                    return value == null || setting.isMetBy(value)
                            ? ""
                            : "Redis setting " + setting.name() + " is '" + value + "', '" + setting.value()
                                    + "' is recommended: " + setting.reason();
                });
    }

    /** Sets everything that is recommended for as long as the servers run; fails with the first refusal. */
    public CompletionStage<Void> apply() {
        return all(places().stream()
                        .map(place -> place.server()
                                .send(RedisCall.status(
                                        "setting " + place.setting().name(),
                                        Effect.CHANGES,
                                        CommandType.CONFIG,
                                        RedisCall.arguments()
                                                .add("SET")
                                                .add(place.setting().name())
                                                .add(place.setting().value()))))
                        .toList())
                .thenAccept(done -> {});
    }

    private static <T> CompletionStage<List<T>> all(List<? extends CompletionStage<T>> stages) {
        CompletionStage<List<T>> all = CompletableFuture.completedStage(new ArrayList<>());
        for (CompletionStage<T> stage : stages) {
            all = all.thenCombine(stage, (list, value) -> {
                list.add(value);
                return list;
            });
        }
        return all;
    }
}
