package io.korvet.server.topics;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the configuration says about a new topic.
 *
 * @param partitions {@code null} when no entry says
 * @param settings topic settings under Kafka's names ({@code retention.ms}), values as Kafka writes them
 */
public record NewTopicDefaults(@Nullable Integer partitions, Map<String, String> settings) {}
