package io.korvet.server.topics;

import static io.korvet.server.topics.TopicFixture.done;
import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.server.topics.Topics.Mode;
import io.korvet.server.topics.Topics.Outcome;
import io.korvet.store.TopicCatalog.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class CachedTopicsTest {

    private final TopicFixture broker = new TopicFixture();

    @Test
    void aCreatedTopicIsInTheViewWithItsLogsAtOnce() {
        Topic topic = broker.create("orders", 3);

        assertThat(broker.topics.byName("orders")).isEqualTo(topic);
        assertThat(broker.topics.byId(topic.id())).isEqualTo(topic);
        assertThat(broker.topics.all()).containsExactly(topic);
        assertThat(broker.store.logs)
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("orders:0", topic.id(), "orders:1", topic.id(), "orders:2", topic.id()));
        assertThat(topic.createdMilliseconds()).isEqualTo(1_700_000_000_000L);
        assertThat(broker.store.held).isEmpty();
    }

    @Test
    void validationAloneMakesNothing() {
        Outcome outcome = done(broker.topics.create("orders", 3, Map.of(), Mode.VALIDATE_ONLY));

        assertThat(outcome.error()).isEqualTo(Errors.NONE);
        assertThat(outcome.topic()).extracting(Topic::partitions).isEqualTo(3);
        assertThat(broker.topics.all()).isEmpty();
        assertThat(broker.store.logs).isEmpty();
    }

    @Test
    void aTopicIsNotedForTheColdTierBeforeItGoes() {
        TopicFixture tiered = new TopicFixture(TopicConfigs.RemoteTier.CONFIGURED);
        Topic first = tiered.create("orders", 2);
        tiered.store.deletesFail = true;
        done(tiered.topics.delete(first));
        assertThat(done(tiered.store.removals().rows()))
                .isEqualTo(Map.of("orders:0", first.id(), "orders:1", first.id()));

        Topic second = tiered.create("orders", 1);
        done(tiered.topics.delete(second));
        assertThat(done(tiered.store.removals().rows()))
                .isEqualTo(Map.of("orders:0", first.id() + " " + second.id(), "orders:1", first.id()));
    }

    @Test
    void withoutAColdTierNothingIsNoted() {
        done(broker.topics.delete(broker.create("orders", 1)));
        assertThat(done(broker.store.removals().rows())).isEmpty();
    }

    @Test
    void aTakenNameIsRefusedAndItsLogsStay() {
        Topic first = broker.create("orders", 1);

        assertThat(create("orders", 2).error()).isEqualTo(Errors.TOPIC_ALREADY_EXISTS);
        assertThat(broker.store.logs).containsExactly(Map.entry("orders:0", first.id()));
    }

    @Test
    void aTopicThatAnotherBrokerMadeMomentsAgoIsNotMadeAgain() {
        TopicFixture other = broker.anotherBroker();
        Topic first = other.create("orders", 1);

        assertThat(create("orders", 1).error()).isEqualTo(Errors.TOPIC_ALREADY_EXISTS);
        assertThat(broker.store.logs).containsEntry("orders:0", first.id());
        assertThat(broker.topics.byName("orders")).isEqualTo(first);
    }

    @Test
    void badNamesAndCollidingNamesMakeNothing() {
        broker.create("a.b", 1);

        assertThat(create("a_b", 1).error()).isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
        assertThat(create("sp ace", 1).error()).isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
        assertThat(create("..", 1).error()).isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
        assertThat(create("", 1).error()).isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
        assertThat(create("x".repeat(250), 1).error()).isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
        assertThat(broker.store.logs).containsOnlyKeys("a.b:0");
    }

    @Test
    void theNumberOfPartitionsHasLimits() {
        assertThat(create("orders", 0).error()).isEqualTo(Errors.INVALID_PARTITIONS);
        assertThat(create("orders", 10_001).error()).isEqualTo(Errors.INVALID_PARTITIONS);
        assertThat(broker.create("orders", -1).partitions()).isEqualTo(1);
    }

    @Test
    void theConfigurationGivesDefaultsThatTheCreatorOverrides() {
        broker.defaults.put("orders", new NewTopicDefaults(6, Map.of("retention.ms", "1000", "segment.ms", "500")));

        Topic topic = broker.create("orders", -1, Map.of("retention.ms", "2000"));

        assertThat(topic.partitions()).isEqualTo(6);
        assertThat(topic.config()).containsOnly(Map.entry("retention.ms", "2000"), Map.entry("segment.ms", "500"));
        assertThat(broker.create("others", -1).partitions()).isEqualTo(1);
    }

    @Test
    void badSettingsAreRefusedWithTheirValue() {
        Outcome outcome = done(broker.topics.create("orders", 1, Map.of("retention.ms", "soon"), Mode.APPLY));

        assertThat(outcome.error()).isEqualTo(Errors.INVALID_CONFIG);
        assertThat(outcome.message()).contains("retention.ms").contains("soon");
    }

    @Test
    void deletionRemovesRowAndLogsAndTellsListeners() {
        List<Topic> gone = new ArrayList<>();
        broker.topics.onRemoved(gone::addAll);
        Topic topic = broker.create("orders", 2);

        assertThat(done(broker.topics.delete(topic)).error()).isEqualTo(Errors.NONE);

        assertThat(broker.topics.byName("orders")).isNull();
        assertThat(broker.store.logs).isEmpty();
        assertThat(done(broker.store.topics().removed())).isEmpty();
        assertThat(gone).containsExactly(topic);
        assertThat(done(broker.topics.delete(topic)).error()).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
    }

    @Test
    void logsThatCouldNotBeDeletedAreDeletedLater() {
        Topic topic = broker.create("orders", 1);
        broker.store.deletesFail = true;
        assertThat(done(broker.topics.delete(topic)).error()).isEqualTo(Errors.NONE);
        assertThat(broker.store.logs).isNotEmpty();

        broker.store.deletesFail = false;
        broker.scheduler.advance(Duration.ofSeconds(31));

        assertThat(broker.store.logs).isEmpty();
    }

    @Test
    void aStartFinishesDeletionsThatACrashLeft() {
        Topic topic = broker.create("orders", 1);
        done(broker.store.topics().remove(topic.name(), topic.id()));

        broker.anotherBroker();

        assertThat(broker.store.logs).isEmpty();
    }

    @Test
    void changesOfOtherBrokersAreSeenWithinASecond() {
        TopicFixture other = broker.anotherBroker();
        List<Topic> gone = new ArrayList<>();
        other.topics.onRemoved(gone::addAll);
        Topic first = broker.create("orders", 1);
        broker.scheduler.advance(Duration.ofSeconds(1));
        assertThat(other.topics.byName("orders")).isEqualTo(first);

        done(broker.topics.delete(first));
        Topic second = broker.create("orders", 1);
        broker.scheduler.advance(Duration.ofSeconds(1));

        assertThat(other.topics.byName("orders")).isEqualTo(second);
        assertThat(other.topics.byId(first.id())).isNull();
        assertThat(gone).containsExactly(first);
    }

    @Test
    void thePollGoesOnAfterTheStoreWasAway() {
        TopicFixture other = broker.anotherBroker();
        broker.store.down = true;
        broker.scheduler.advance(Duration.ofSeconds(5));
        broker.store.down = false;
        Topic topic = broker.create("orders", 1);

        broker.scheduler.advance(Duration.ofSeconds(1));

        assertThat(other.topics.byName("orders")).isEqualTo(topic);
    }

    @Test
    void aStoreThatIsAwayIsARetriableOutcome() {
        Topic topic = broker.create("orders", 1);
        broker.store.down = true;

        assertThat(create("others", 1).error()).isEqualTo(Errors.REQUEST_TIMED_OUT);
        assertThat(done(broker.topics.delete(topic)).error()).isEqualTo(Errors.REQUEST_TIMED_OUT);
        assertThat(broker.topics.byName("orders")).isEqualTo(topic);
    }

    @Test
    void partitionsOnlyGrow() {
        Topic topic = broker.create("orders", 2);

        assertThat(grow("orders", 2).message()).contains("already has 2");
        assertThat(grow("orders", 1).message()).contains("would not be an increase");
        assertThat(grow("orders", 1).error()).isEqualTo(Errors.INVALID_PARTITIONS);
        assertThat(grow("orders", 1).message()).startsWith("The topic orders ");
        assertThat(grow("orders", 10_001).error()).isEqualTo(Errors.INVALID_PARTITIONS);
        assertThat(grow("others", 3).error()).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);

        assertThat(grow("orders", 4).error()).isEqualTo(Errors.NONE);
        assertThat(broker.topics.byId(topic.id())).extracting(Topic::partitions).isEqualTo(4);
        assertThat(broker.store.logs).containsKeys("orders:2", "orders:3").hasSize(4);
    }

    @Test
    void growthThatIsOnlyValidatedChangesNothing() {
        broker.create("orders", 2);

        Outcome outcome = done(broker.topics.addPartitions("orders", 4, Mode.VALIDATE_ONLY));

        assertThat(outcome.error()).isEqualTo(Errors.NONE);
        assertThat(broker.store.logs).hasSize(2);
    }

    @Test
    void alteredSettingsTakeEffectAtOnce() {
        Topic topic = broker.create("orders", 1);
        assertThat(broker.topics.settings(topic).retentionMilliseconds()).isEqualTo(604_800_000L);

        Outcome outcome = done(broker.topics.alterConfig("orders", Map.of("retention.ms", "5000"), Mode.APPLY));

        Topic altered = Objects.requireNonNull(broker.topics.byName("orders"));
        assertThat(altered).isEqualTo(outcome.topic());
        assertThat(broker.topics.settings(altered).retentionMilliseconds()).isEqualTo(5_000);
    }

    @Test
    void changesOfTwoBrokersAddUp() {
        broker.create("orders", 1);
        TopicFixture other = broker.anotherBroker();

        done(broker.topics.changeConfig("orders", before -> with(before, "retention.ms", "5000"), Mode.APPLY));
        done(other.topics.changeConfig("orders", before -> with(before, "segment.ms", "1000"), Mode.APPLY));

        assertThat(other.topics.byName("orders"))
                .extracting(Topic::config)
                .isEqualTo(Map.of("retention.ms", "5000", "segment.ms", "1000"));
    }

    @Test
    void whoeverHoldsTheNameIsWaitedForAndNotForEver() {
        broker.store.held.put("topic:orders", "another broker");
        CompletableFuture<Outcome> first =
                broker.topics.create("orders", 1, Map.of(), Mode.APPLY).toCompletableFuture();
        CompletableFuture<Outcome> queued =
                broker.topics.create("orders", 1, Map.of(), Mode.APPLY).toCompletableFuture();
        assertThat(first).isNotDone();

        broker.scheduler.advance(Duration.ofSeconds(6));
        assertThat(first).isCompletedWithValueMatching(outcome -> outcome.error() == Errors.REQUEST_TIMED_OUT);
        assertThat(queued).isNotDone();

        broker.store.held.clear();
        broker.scheduler.advance(Duration.ofSeconds(1));
        assertThat(queued).isCompletedWithValueMatching(outcome -> outcome.error() == Errors.NONE);
    }

    private Outcome create(String name, int partitions) {
        return done(broker.topics.create(name, partitions, Map.of(), Mode.APPLY));
    }

    private Outcome grow(String name, int total) {
        return done(broker.topics.addPartitions(name, total, Mode.APPLY));
    }

    private static Map<String, String> with(Map<String, String> before, String name, String value) {
        Map<String, String> after = new HashMap<>(before);
        after.put(name, value);
        return after;
    }
}
