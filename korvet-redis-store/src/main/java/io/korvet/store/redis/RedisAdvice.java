package io.korvet.store.redis;

import io.korvet.store.redis.RedisCall.Effect;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
     */
    public record Setting(String name, String value, String reason) {}

    /** The settings, each with its reason. */
    public static final List<Setting> RECOMMENDED = List.of(
            new Setting(
                    "maxmemory-policy", "noeviction", "a log must refuse records when memory is full, not lose keys"),
            new Setting("appendonly", "yes", "without it a restart of Redis loses records that were acknowledged"),
            new Setting(
                    "appendfsync", "everysec", "'always' costs much of the throughput, 'no' loses more than a second"),
            new Setting("stream-node-max-bytes", "32768", "smaller nodes take up to 17 % more memory per record"),
            new Setting("stream-node-max-entries", "500", "smaller nodes take up to 17 % more memory per record"));

    private final RedisLane lane;

    RedisAdvice(RedisLane lane) {
        this.lane = lane;
    }

    /** Settings that differ from what is recommended, one sentence each; empty too when Redis doesn't let us look. */
    public CompletionStage<List<String>> warnings() {
        List<CompletionStage<Map<String, String>>> present =
                RECOMMENDED.stream().map(this::present).toList();
        return all(present).thenApply(maps -> {
            Map<String, String> values = new TreeMap<>();
            maps.forEach(values::putAll);
            List<String> warnings = new ArrayList<>();
            for (Setting setting : RECOMMENDED) {
                String value = values.get(setting.name());
                if (value != null && !value.equals(setting.value())) {
                    warnings.add("Redis setting " + setting.name() + " is '" + value + "', '" + setting.value()
                            + "' is recommended: " + setting.reason());
                }
            }
            return warnings;
        });
    }

    private CompletionStage<Map<String, String>> present(Setting setting) {
        return lane.send(RedisCall.list(
                        "setting " + setting.name(),
                        Effect.READS,
                        CommandType.CONFIG,
                        RedisCall.arguments().add("GET").add(setting.name())))
                .handle((flat, failure) -> failure != null ? Map.of() : Rows.map(flat));
    }

    /** Sets everything that is recommended for as long as the server runs; fails with the first refusal. */
    public CompletionStage<Void> apply() {
        return all(RECOMMENDED.stream()
                        .map(setting -> lane.send(RedisCall.status(
                                "setting " + setting.name(),
                                Effect.CHANGES,
                                CommandType.CONFIG,
                                RedisCall.arguments()
                                        .add("SET")
                                        .add(setting.name())
                                        .add(setting.value()))))
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
