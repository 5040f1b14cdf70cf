package io.korvet.server.topics;

import io.korvet.server.topics.Topics.Outcome;
import io.korvet.store.TopicCatalog.Topic;
import io.korvet.store.time.ManualScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/** One broker's topics over a {@link FakeStore}, on the test's own thread. */
public final class TopicFixture {

    /** The clock and scheduler of all brokers. */
    public final ManualScheduler scheduler;

    /** The store of all brokers. */
    public final FakeStore store;

    /** The settings there are. */
    public final TopicConfigs configs;

    /** What the configuration says of new topics, by their whole names. */
    public final Map<String, NewTopicDefaults> defaults = new HashMap<>();

    /** The topics. */
    public final CachedTopics topics;

    /** A broker of its own without a remote tier. */
    public TopicFixture() {
        this(TopicConfigs.RemoteTier.ABSENT);
    }

    /** A broker of its own. */
    public TopicFixture(TopicConfigs.RemoteTier remoteTier) {
        this(
                new FakeStore(),
                new ManualScheduler(Instant.ofEpochMilli(1_700_000_000_000L)),
                new TopicConfigs(remoteTier));
    }

    private TopicFixture(FakeStore store, ManualScheduler scheduler, TopicConfigs configs) {
        this.configs = configs;
        this.store = store;
        this.scheduler = scheduler;
        topics = new CachedTopics(
                store,
                configs,
                new CachedTopics.Options(
                        name -> defaults.getOrDefault(name, new NewTopicDefaults(null, Map.of())),
                        1,
                        Duration.ofSeconds(1)),
                scheduler,
                scheduler);
        done(topics.start());
    }

    /** Another broker over the same store. */
    public TopicFixture anotherBroker() {
        return new TopicFixture(store, scheduler, configs);
    }

    /** Makes a topic without any say in its settings. */
    public Topic create(String name, int partitions) {
        return create(name, partitions, Map.of());
    }

    /** Makes a topic. */
    public Topic create(String name, int partitions, Map<String, String> config) {
        Outcome outcome = done(topics.create(name, partitions, config, Topics.Mode.APPLY));
        return Objects.requireNonNull(outcome.topic(), String.valueOf(outcome));
    }

    /** The value of a stage that is complete. */
    public static <T> T done(CompletionStage<T> stage) {
        return stage.toCompletableFuture().getNow(null);
    }
}
