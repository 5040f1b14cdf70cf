package io.korvet.server.handler;

import io.korvet.store.TopicCatalog.Topic;
import java.util.concurrent.CompletionStage;

/** Asks for one number about a partition that is there, such as its end offset or its size. Thread-safe. */
@FunctionalInterface
public interface PartitionNumber {

    /** The number for a partition of a topic; fails with the store's or Kafka's exception. */
    CompletionStage<Long> of(Topic topic, int partition);
}
