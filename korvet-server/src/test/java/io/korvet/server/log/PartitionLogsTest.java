package io.korvet.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.server.topics.TopicFixture;
import io.korvet.store.TopicCatalog.Topic;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import org.junit.jupiter.api.Test;

class PartitionLogsTest {

    private final TopicFixture fixture = new TopicFixture();
    private final PartitionLogs logs = new PartitionLogs(
            fixture.topics,
            new ManualEntryLog(),
            UnpooledByteBufAllocator.DEFAULT,
            fixture.scheduler,
            Limits.DEFAULT,
            LogObserver.NONE);

    @Test
    void logsOfTopicsThatAreGoneTogetherAreClosedAndOthersStay() {
        Topic first = fixture.create("first", 2);
        Topic second = fixture.create("second", 1);
        Topic stays = fixture.create("stays", 1);
        TopicFixture other = fixture.anotherBroker();
        List<PartitionLog> gone = List.of(open(first, 0), open(first, 1), open(second, 0));
        PartitionLog left = open(stays, 0);

        TopicFixture.done(other.topics.delete(first));
        TopicFixture.done(other.topics.delete(second));
        TopicFixture.done(fixture.topics.refresh());

        assertThat(gone).allMatch(PartitionLog::isClosed);
        assertThat(left.isClosed()).isFalse();
        assertThat(logs.open()).containsExactly(left);
    }

    private PartitionLog open(Topic topic, int partition) {
        return java.util.Objects.requireNonNull(logs.log(topic, partition));
    }
}
